"use strict";
// Elements and words. Text reaches the page as text nodes only, whatever names and values contain.

const DOCUMENT = JSON.parse(document.getElementById("document").textContent);
const MADE_AT = Date.parse(DOCUMENT.made_at);
const SVG = "http://www.w3.org/2000/svg";
const KINDS = ["build", "full", "incremental", "noop"];

function element(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") node.addEventListener("click", value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function number(count) {
  return count === null || count === undefined ? "–" : count.toLocaleString("en");
}

function counted(count, noun, nouns = `${noun}s`) {
  return `${number(count)}\u00a0${count === 1 ? noun : nouns}`;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 10) return `${seconds.toFixed(1)}\u00a0s`;
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= 2 * length) return `${Math.round(seconds / length)}\u00a0${unit}`;
  }
  return `${Math.round(seconds)}\u00a0s`;
}

function ago(moment) {
  return moment ? `${duration(Math.max(MADE_AT - Date.parse(moment), 0) / 1000)} ago` : "–";
}

function clock(moment) {
  return moment ? new Date(moment).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "–";
}

function size(bytes) {
  for (const [unit, length] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= length) return `${(bytes / length).toFixed(1)}\u00a0${unit}`;
  }
  return `${bytes}\u00a0B`;
}

function kindOf(refresh) {
  return KINDS.includes(refresh.kind) ? refresh.kind : "noop";
}

function decision(kind, reason) {
  return kind ? (reason ? `${kind} (${reason})` : kind) : "–";
}

function pending(view) {
  if (!view.is_built) return "not built";
  if (view.distrust) return `to be rebuilt: ${view.distrust}`;
  const obstacle = view.sources.find((source) => source.obstacle);
  if (obstacle) return obstacle.obstacle;
  if (!view.pending_commits) return view.is_known ? "nothing" : "not known";
  const rows = view.pending_changes === null ? "" : `, ${counted(view.pending_changes, "change")}`;
  return counted(view.pending_commits, "commit") + rows;
}

function reason(word) {
  const known = DOCUMENT.reasons[word];
  return known ? `${word} (${known.code}): ${known.meaning}` : word;
}

function dot(view) {
  return element("span", { class: `dot ${view.condition}`, title: view.condition, "aria-hidden": "true" });
}

// Long names break after a dot or an underscore, before they break anywhere.
function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((part) => [part, element("wbr")]);
}

function linkTo(view) {
  return element("button", { class: "link", onclick: () => go("view", view.id) }, breakable(view.name));
}

function seconds(view) {
  return view.refreshes.reduce((sum, refresh) => sum + refresh.seconds, 0);
}
