// Who reads whom: layers from left to right by the longest way down, each ordered by where its parents stand.

const VIEWS = new Map(DOCUMENT.views.map((view) => [view.id, view]));
const NODES = new Map(DOCUMENT.lineage.map((node) => [node.id, node]));
const READERS = new Map(DOCUMENT.lineage.map((node) => [node.id, []]));
for (const node of DOCUMENT.lineage) for (const read of node.reads) READERS.get(read).push(node.id);
const DRAWN_AT_ONCE = 150;
const BOX = { width: 196, height: 34, right: 64, below: 14 };

function around(id) {
  const found = new Set([id]);
  for (const next of [(each) => NODES.get(each).reads, (each) => READERS.get(each)]) {
    const waiting = [id];
    const seen = new Set(waiting);
    while (waiting.length && found.size < 400) {
      for (const other of next(waiting.pop())) {
        if (!seen.has(other)) {
          seen.add(other);
          found.add(other);
          waiting.push(other);
        }
      }
    }
  }
  return found;
}

function layersOf(ids) {
  const depth = new Map();
  const missing = new Map([...ids].map((id) => [id, NODES.get(id).reads.filter((each) => ids.has(each)).length]));
  const ready = [...ids].filter((id) => missing.get(id) === 0);
  ready.forEach((id) => depth.set(id, 0));
  while (ready.length) {
    const id = ready.pop();
    for (const reader of READERS.get(id).filter((each) => ids.has(each))) {
      depth.set(reader, Math.max(depth.get(reader) || 0, depth.get(id) + 1));
      missing.set(reader, missing.get(reader) - 1);
      if (missing.get(reader) === 0) ready.push(reader);
    }
  }
  const layers = [];
  for (const [id, level] of depth) (layers[level] = layers[level] || []).push(id);
  return layers;
}

function places(ids) {
  const found = new Map();
  layersOf(ids).forEach((layer, level) => {
    const wish = new Map(layer.map((id) => [id, middle(NODES.get(id).reads.map((each) => found.get(each)))]));
    layer.sort((one, other) => wish.get(one) - wish.get(other) || (NODES.get(one).name < NODES.get(other).name ? -1 : 1));
    layer.forEach((id, row) => found.set(id, { level, row }));
  });
  return found;
}

function middle(parents) {
  const rows = parents.filter((each) => each).map((each) => each.row);
  return rows.length ? rows.reduce((sum, row) => sum + row, 0) / rows.length : 0;
}

function graph(ids, chosen) {
  const placed = places(ids);
  const at = (id) => ({
    x: 14 + placed.get(id).level * (BOX.width + BOX.right),
    y: 14 + placed.get(id).row * (BOX.height + BOX.below),
  });
  const spots = [...ids].map((id) => ({ id, ...at(id) }));
  const width = Math.max(...spots.map((spot) => spot.x)) + BOX.width + 14;
  const height = Math.max(...spots.map((spot) => spot.y)) + BOX.height + 14;
  const picture = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Lineage" });
  for (const spot of spots) {
    for (const read of NODES.get(spot.id).reads.filter((each) => ids.has(each))) picture.append(edge(at(read), spot));
  }
  for (const spot of spots) picture.append(box(spot, chosen));
  return element("div", { class: "graph", tabindex: 0 }, picture);
}

function edge(from, to) {
  const [x, y, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
  const bend = (x2 - x) / 2;
  return drawn("path", { class: "edge", d: `M${x},${y} C${x + bend},${y} ${x2 - bend},${y2} ${x2},${y2}` });
}

function box(spot, chosen) {
  const [node, view] = [NODES.get(spot.id), VIEWS.get(spot.id)];
  const classes = [view ? `lazy ${view.condition}` : "plain", spot.id === chosen ? "chosen" : ""].join(" ").trim();
  const told = view ? pending(view) : node.kind;
  const name = node.name.length > 24 ? `${node.name.slice(0, 23)}…` : node.name;
  const found = drawn("g", { class: classes, transform: `translate(${spot.x},${spot.y})` },
    drawn("title", {}, `${node.name}: ${view ? `lazy view, pending: ${told}` : node.kind}`),
    drawn("rect", { width: BOX.width, height: BOX.height, rx: 7 }),
    drawn("text", { x: 10, y: 15 }, name),
    drawn("text", { class: "faint", x: 10, y: 28 }, told.length > 32 ? `${told.slice(0, 31)}…` : told));
  return view ? reachable(found, view) : found;
}

function reachable(box, view) {
  box.setAttribute("tabindex", "0");
  box.setAttribute("role", "link");
  box.addEventListener("click", () => go("view", view.id));
  box.addEventListener("keydown", (event) => event.key === "Enter" && go("view", view.id));
  return box;
}
