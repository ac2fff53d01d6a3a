// All views: the list with its search, the lineage, time and costs, advice.

const ROWS_AT_ONCE = 100;
const URGENCY = { wrong: 0, pending: 1, fresh: 2 };
const FILTERS = [
  ["all", "all views", () => true],
  ["fresh", "up to date", (view) => view.condition === "fresh"],
  ["pending", "behind", (view) => view.condition === "pending"],
  ["wrong", "to look after", (view) => view.condition === "wrong"],
  ["warned", "warnings", (view) => view.warnings.length > 0],
  ["late", "goal missed", (view) => view.meets_goal === false],
  ["advised", "could be cheaper", (view) => view.advice.length > 0],
];
const COLUMNS = [
  ["View", (view) => view.name, (view) => element("span", { class: "name" }, dot(view), linkTo(view))],
  ["Pending", (view) => [URGENCY[view.condition], -view.behind_seconds], coloured],
  ["Behind", (view) => -view.behind_seconds, (view) => (view.behind_seconds ? duration(view.behind_seconds) : "–")],
  ["Last decision", (view) => view.last_decision || "", (view) => decision(view.last_decision, view.last_reason)],
  ["When", (view) => -Date.parse(view.last_refresh || 0), (view) => ago(view.last_refresh)],
  ["Took", (view) => -(view.last_seconds || 0), (view) => duration(view.last_seconds)],
  ["Policy", (view) => view.policy || "", (view) => view.policy || "–"],
  ["State", (view) => -view.state_bytes, (view) => (view.is_built ? size(view.state_bytes) : "–")],
];
const CHOICE = { filter: "all", search: "", column: 1, turned: false, rows: ROWS_AT_ONCE };

function coloured(view) {
  return element("span", { class: `is-${view.condition}` }, pending(view));
}

function viewsPage() {
  const list = element("div", { id: "list" });
  const search = searchBox("Search views, sources, reasons", (text) => choose({ search: text }, list));
  search.value = CHOICE.search;
  list.append(...viewList(list));
  return [tiles(list), search, list];
}

function searchBox(placeholder, found) {
  const box = element("input", { type: "search", id: "search", placeholder, "aria-label": placeholder });
  box.addEventListener("input", () => found(box.value));
  return box;
}

function tiles(list) {
  return element("div", { class: "tiles" }, FILTERS.map(([key, label, matches]) => {
    const count = DOCUMENT.views.filter(matches).length;
    return element("button", {
      class: `tile ${count ? key : ""}`, "data-filter": key, "aria-pressed": String(CHOICE.filter === key),
      onclick: (event) => press(event.currentTarget, key, list),
    }, element("b", {}, number(count)), label);
  }));
}

function press(tile, filter, list) {
  for (const each of tile.parentNode.children) each.setAttribute("aria-pressed", String(each === tile));
  choose({ filter }, list);
}

function choose(choice, list) {
  Object.assign(CHOICE, { rows: ROWS_AT_ONCE }, choice);
  list.replaceChildren(...viewList(list));
}

function found() {
  const matches = FILTERS.find(([key]) => key === CHOICE.filter)[2];
  const words = CHOICE.search.toLowerCase().split(/\s+/).filter(Boolean);
  const key = COLUMNS[CHOICE.column][1];
  const hasWords = (view) => words.every((word) => searchText(view).includes(word));
  const keyed = DOCUMENT.views.filter((view) => matches(view) && hasWords(view)).map((view) => [key(view), view]);
  const ordered = keyed.sort(([one], [other]) => compare(one, other)).map(([, view]) => view);
  return CHOICE.turned ? ordered.reverse() : ordered;
}

const SEARCHED = new Map();
function searchText(view) {
  if (!SEARCHED.has(view.id)) {
    const own = [view.name, view.policy, view.view_group, view.last_reason, view.last_decision, view.distrust];
    const sources = view.sources.flatMap((source) => [source.source, source.obstacle]);
    SEARCHED.set(view.id, [...own, ...sources].filter(Boolean).join(" ").toLowerCase());
  }
  return SEARCHED.get(view.id);
}

function compare(one, other) {
  if (Array.isArray(one)) return compare(one[0], other[0]) || compare(one[1], other[1]);
  return one < other ? -1 : one > other ? 1 : 0;
}

function viewList(list) {
  const views = found();
  if (!views.length) return [nothing(DOCUMENT.views.length ? "No view is like that." : "This project has no lazy views.")];
  const rows = views.slice(0, CHOICE.rows).map((view) =>
    element("tr", {}, COLUMNS.map(([name, , cell]) => element("td", { "data-label": name }, cell(view)))));
  const heads = element("tr", {}, COLUMNS.map(([name], index) => head(name, index, list)));
  const table = element("table", { class: "views" }, element("thead", {}, heads), element("tbody", {}, rows));
  const left = views.length - rows.length;
  return left > 0 ? [table, more(left, list)] : [table];
}

function head(name, index, list) {
  if (CHOICE.column !== index) {
    return element("th", {}, element("button", { onclick: () => choose({ column: index, turned: false }, list) }, name));
  }
  const turn = () => choose({ turned: !CHOICE.turned }, list);
  return element("th", { "aria-sort": CHOICE.turned ? "descending" : "ascending" },
    element("button", { onclick: turn }, `${name} ${CHOICE.turned ? "▴" : "▾"}`));
}

function more(left, list) {
  const show = () => choose({ rows: CHOICE.rows + 5 * ROWS_AT_ONCE }, list);
  return element("button", { class: "more", onclick: show }, `Show more (${number(left)} left)`);
}

function nothing(text) {
  return element("p", { class: "card faint" }, text);
}

function lineagePage() {
  if (!NODES.size) return [nothing("There is nothing to show.")];
  if (NODES.size <= DRAWN_AT_ONCE) return [graph(new Set(NODES.keys()), null), key()];
  const place = element("div", {});
  const show = (text) => place.replaceChildren(...neighbourhood(text.toLowerCase()));
  show("");
  return [searchBox(`${counted(NODES.size, "node")}: type the name of a view to see what is around it`, show), place];
}

// Around the most urgent view of those with some letters in their name.
function neighbourhood(letters) {
  const views = DOCUMENT.views.filter((view) => view.name.toLowerCase().includes(letters) && NODES.has(view.id));
  if (!views.length) return [nothing("No view is like that.")];
  const rank = (view) => [URGENCY[view.condition], -view.behind_seconds];
  const view = views.reduce((best, each) => (compare(rank(each), rank(best)) < 0 ? each : best));
  return [element("p", {}, "Around ", linkTo(view)), graph(around(view.id), view.id), key()];
}

function key() {
  const meanings = [["fresh", "up to date"], ["pending", "changes pending"], ["wrong", "to look after"]];
  return element("div", { class: "legend" },
    meanings.map(([name, text]) => element("span", {}, element("i", { class: `dot ${name}` }), text)));
}

function timePage() {
  const refreshes = DOCUMENT.views.flatMap((view) => view.refreshes);
  if (!refreshes.length) return [nothing("There has been no refresh yet.")];
  return [element("h2", {}, "Time spent on refreshes"), element("div", { class: "card" }, activity(refreshes)),
    element("h2", {}, "Biggest costs"), element("div", { class: "card" }, costs()),
    element("h2", {}, "Why from all rows"), fullReasons(refreshes)];
}

function costs() {
  const spent = DOCUMENT.views.map((view) => [seconds(view), view]).filter(([time]) => time > 0);
  const top = spent.sort(([one], [other]) => other - one).slice(0, 20);
  const rows = top.map(([time, view]) => element("div", { class: "cost" },
    linkTo(view),
    track(view, top[0][0]),
    element("span", { class: "faint" }, `${duration(time)} in ${counted(view.refreshes.length, "refresh", "refreshes")}`)));
  return [...rows, legend(kindsIn(top.flatMap(([, view]) => view.refreshes)))];
}

function track(view, most) {
  const parts = secondsByKind(view.refreshes);
  return element("div", { class: "track" }, KINDS.filter((kind) => parts[kind]).map((kind) => {
    const part = element("i", { class: `fill-${kind}`, title: `${kind}: ${duration(parts[kind])}` });
    part.style.width = `${(parts[kind] / most) * 100}%`;
    return part;
  }));
}

function fullReasons(refreshes) {
  const times = new Map();
  for (const each of refreshes.filter((one) => one.reason && one.kind !== "noop")) {
    const known = times.get(each.reason) || [0, 0];
    times.set(each.reason, [known[0] + 1, known[1] + each.seconds]);
  }
  if (!times.size) return nothing("Never.");
  const most = [...times].sort(([, one], [, other]) => other[0] - one[0]);
  const rows = most.map(([word, [count, spent]]) => [reason(word), number(count), duration(spent)]);
  return element("div", { class: "card" }, plainTable(["Reason", "Times", "Took in all"], rows));
}

function advicePage() {
  const advised = DOCUMENT.views.filter((view) => view.advice.length);
  if (!advised.length) return [nothing("The histories of the views suggest no change.")];
  return advised.flatMap((view) => [element("h2", { class: "wrap" }, linkTo(view)), ...view.advice.map(adviceNote)]);
}
