// Refreshes over time.

function legend(kinds) {
  const items = kinds.map((kind) => element("span", {}, element("i", { class: `fill-${kind}` }), kind));
  return element("div", { class: "legend" }, items);
}

// The last refreshes of one view, oldest first: a bar for each, as high as it took long.
function refreshBars(refreshes) {
  const shown = refreshes.slice(0, 60).reverse();
  const most = Math.max(...shown.map((each) => each.seconds), 0.1);
  const width = Math.min(660 / shown.length, 40);
  const chart = frame(most, clock(shown[0].at), clock(shown[shown.length - 1].at), 50 + shown.length * width);
  shown.forEach((each, index) => {
    const height = Math.max((each.seconds / most) * 120, 2);
    const title = `${clock(each.at)}: ${decision(each.kind, each.reason)}, ${duration(each.seconds)}`;
    chart.append(bar(50 + index * width, 140 - height, Math.max(width - 2, 1), height, kindOf(each), title));
  });
  return element("div", { class: "scroll" }, chart, legend(kindsIn(shown)));
}

// All refreshes of all views in stretches of time: how many seconds went into each kind.
function activity(refreshes) {
  const times = refreshes.map((each) => Date.parse(each.at));
  const first = times.reduce((one, other) => Math.min(one, other));
  const last = times.reduce((one, other) => Math.max(one, other));
  const parts = Array.from({ length: 48 }, () => []);
  refreshes.forEach((each, index) => {
    parts[Math.min(Math.floor(((times[index] - first) / (last - first || 1)) * 48), 47)].push(each);
  });
  const buckets = parts.map((part) => ({ count: part.length, seconds: secondsByKind(part) }));
  const totals = buckets.map((bucket) => Object.values(bucket.seconds).reduce((sum, each) => sum + each, 0));
  const most = Math.max(...totals, 0.1);
  const chart = frame(most, clock(first), clock(last));
  buckets.forEach((bucket, index) => stack(chart, bucket, index, most));
  return element("div", { class: "scroll" }, chart, legend(kindsIn(refreshes)));
}

function stack(chart, bucket, index, most) {
  let top = 140;
  for (const kind of KINDS.filter((each) => bucket.seconds[each])) {
    const height = Math.max((bucket.seconds[kind] / most) * 120, 1);
    top -= height;
    const title = `${counted(bucket.count, "refresh", "refreshes")}, ${kind}: ${duration(bucket.seconds[kind])}`;
    chart.append(bar(50 + index * 13.75, top, 11.75, height, kind, title));
  }
}

function frame(most, first, last, end = 710) {
  return drawn("svg", { class: "chart", viewBox: "0 0 720 164", role: "img", "aria-label": "Time spent on refreshes" },
    drawn("line", { class: "axis", x1: 50, x2: 710, y1: 20, y2: 20 }),
    drawn("line", { class: "axis", x1: 50, x2: 710, y1: 140, y2: 140 }),
    drawn("text", { class: "faint", x: 44, y: 24, "text-anchor": "end" }, duration(most)),
    drawn("text", { class: "faint", x: 44, y: 144, "text-anchor": "end" }, "0"),
    drawn("text", { class: "faint", x: 50, y: 158 }, first),
    end < 350 ? null : drawn("text", { class: "faint", x: end, y: 158, "text-anchor": "end" }, last));
}

function bar(x, y, width, height, kind, title) {
  return drawn("rect", { class: `fill-${kind}`, x, y, width, height, rx: 1.5 }, drawn("title", {}, title));
}

// How many seconds each kind of refresh took.
function secondsByKind(refreshes) {
  const found = {};
  for (const each of refreshes) found[kindOf(each)] = (found[kindOf(each)] || 0) + each.seconds;
  return found;
}

function kindsIn(refreshes) {
  const found = new Set(refreshes.map(kindOf));
  return KINDS.filter((kind) => found.has(kind));
}
