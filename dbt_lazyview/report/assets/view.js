// One view: what is pending, what happened, what would be better, whom it concerns.

function viewPage(view) {
  return [
    element("p", {}, element("button", { class: "link", onclick: () => go("views") }, "← all views")),
    element("h2", { class: "wrap" }, dot(view), view.name),
    view.description && element("p", { class: "faint wrap" }, view.description),
    notes(view),
    element("div", { class: "card" }, pairs(view)),
    view.sources.length > 0 && [element("h2", {}, "Sources"), sourceTable(view)],
    view.refreshes.length > 0 && [element("h2", {}, "Refreshes"), history(view)],
    NODES.has(view.id) && [element("h2", {}, "Lineage"), graph(around(view.id), view.id)],
  ].flat(2);
}

function history(view) {
  return element("div", { class: "card" }, refreshBars(view.refreshes), refreshTable(view));
}

function notes(view) {
  const broken = view.sources.filter((source) => source.obstacle);
  const wrong = [
    !view.is_built && "It is not built yet: dbt run builds it.",
    view.distrust && `It has to be rebuilt, and the next refresh does so: ${reason(view.distrust)}.`,
    ...broken.map((source) => `${shortName(source, view)}: ${reason(source.obstacle)}. The next refresh is a full one.`),
  ];
  return [
    ...wrong.filter(Boolean).map((text) => element("p", { class: "note wrong wrap" }, text)),
    ...view.warnings.map((text) => element("p", { class: "note wrap" }, text)),
    ...view.advice.map(adviceNote),
  ];
}

function adviceNote(advice) {
  return element("div", { class: "note advice wrap" },
    element("b", {}, advice.what),
    element("p", { class: "faint" }, `because ${advice.why}`));
}

function pairs(view) {
  const facts = [
    ["Pending", pending(view)],
    ["Behind since", view.pending_since ? `${clock(view.pending_since)} (${ago(view.pending_since)})` : "–"],
    ["Stands for", view.cut_time ? `${clock(view.cut_time)} (${ago(view.cut_time)})` : "–"],
    ["Goal", goal(view)],
    ["Policy", [view.policy, view.view_group && `group ${view.view_group}`].filter(Boolean).join(", ") || "–"],
    ["Refresh mode", view.refresh_mode || "–"],
    ["Last decision", decision(view.last_decision, view.last_reason)],
    ["Set off by", view.last_trigger || "–"],
    ["Last refresh", view.last_refresh ? `${ago(view.last_refresh)}, took ${duration(view.last_seconds)}` : "–"],
    ["State", view.is_built ? `${size(view.state_bytes)}, ${counted(view.state_files, "file")}` : "–"],
    ["Written sources", view.is_built ? `${counted(view.source_writes, "commit")} in this history` : "–"],
  ];
  const told = facts.filter(([, value]) => value !== "–");
  return element("dl", { class: "pairs" },
    told.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// Whether the view is as fresh as it should be, and how often it was.
function goal(view) {
  if (view.max_staleness_seconds === null) return "–";
  const all = view.goals_kept + view.goals_missed;
  const past = all ? `; ${view.goals_kept} of ${counted(all, "refresh", "refreshes")} in time` : "";
  return `${duration(view.max_staleness_seconds)}, ${view.meets_goal ? "met" : "missed"}${past}`;
}

// Without the catalog, where it is the view's own.
function shortName(source, view) {
  const catalog = view.view.slice(0, view.view.indexOf(".") + 1);
  return source.source.startsWith(catalog) ? source.source.slice(catalog.length) : source.source;
}

function sourceTable(view) {
  const rows = view.sources.map((source) => [
    shortName(source, view),
    source.obstacle || (source.pending_commits ? counted(source.pending_commits, "commit") : "nothing"),
    number(source.pending_changes),
    source.operations.join(", ") || "–",
    source.pending_since ? ago(source.pending_since) : "–",
    source.cut_version === source.version ? `${source.version}` : `${source.cut_version} → ${source.version}`,
  ]);
  return plainTable(["Source", "Pending", "Changed rows", "Operations", "Since", "Version"], rows);
}

function refreshTable(view) {
  const rows = view.refreshes.slice(0, 20).map((each) => [
    element("span", { class: "nowrap" }, clock(each.at)),
    decision(each.kind, each.reason),
    each.trigger || "–",
    number(each.changes),
    number(each.rows),
    duration(each.seconds),
  ]);
  const rest = view.refreshes.length - rows.length;
  return [plainTable(["When", "Decision", "Set off by", "Changes", "Rows written", "Took"], rows),
    rest > 0 && element("p", { class: "faint" }, `and ${rest} earlier`)];
}

function plainTable(heads, rows) {
  const head = element("tr", {}, heads.map((text) => element("th", {}, text)));
  const body = rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, cell))));
  return element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, body)));
}
