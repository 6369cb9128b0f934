// Try: sends a pasted article or a file to the API, and shows verdicts as they arrive.
"use strict";
(() => {
  const area = document.getElementById("try");
  if (!area) return;
  const results = document.getElementById("results");
  const rows = document.getElementById("rows");
  const status = document.getElementById("status");
  const bar = document.getElementById("done");
  const downloads = document.getElementById("downloads");
  const drop = document.getElementById("drop");
  const file = drop.querySelector("input");
  const keep = document.getElementById("keep");
  const maxRows = 500;
  let lines = [];
  let stored = false; // whether the articles are added to the store
  let running = null;
  let announced = 0; // when the progress was last announced

  // Everything is inserted as text: nothing of an article acts as markup.
  const element = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const title = (text) => {
    const plain = (text || "").trim();
    if (!plain) return element("span", { class: "quiet" }, "untitled");
    return element("bdi", { dir: "auto" }, plain.length > 240 ? `${plain.slice(0, 240)}…` : plain);
  };

  const storyOf = (line) => {
    const [path, query] = area.dataset.story.split("?");
    return `${path}${encodeURIComponent(line.verdict.match)}${query ? `?${query}` : ""}`;
  };

  const match = (line) => {
    if (!line.verdict.match) return "";
    const matched = title(line.match_title || line.verdict.match);
    if (line.among === "store") return element("a", { href: storyOf(line) }, matched);
    return element("span", {}, matched, element("span", { class: "meta" }, "in this file"));
  };

  const row = (line) => {
    const number = element("td", { class: "num" }, String(line.number || ""));
    if (line.error) {
      const where = line.line ? `line ${line.line}: ` : "";
      return element("tr", { class: "clash" }, number, element("td", { colspan: 5 }, where + line.error));
    }
    const { relation, reasons, confidence, flags } = line.verdict;
    const label = element("span", { class: `mark ${relation}` }, relation.replaceAll("_", " "));
    const why = [...reasons, ...flags].join("; ");
    return element(
      "tr", {}, number,
      element("th", { scope: "row" }, title(line.title)),
      element("td", {}, label),
      element("td", {}, match(line)),
      element("td", {}, element("bdi", { dir: "auto" }, why.length > 200 ? `${why.slice(0, 200)}…` : why)),
      element("td", { class: "num" }, confidence.toFixed(2)),
    );
  };

  const add = (line) => {
    lines.push(line);
    if (line.total) {
      bar.max = line.total;
      bar.value = line.number;
      if (Date.now() - announced > 1000) { // screen readers read it aloud: not for every line
        announced = Date.now();
        status.textContent = `${line.number.toLocaleString("en")} of ${line.total.toLocaleString("en")}`;
      }
    }
    if (lines.length <= maxRows) rows.append(row(line));
  };

  const finish = () => {
    const checked = lines.filter((line) => line.verdict);
    const duplicates = checked.filter((line) => line.verdict.is_duplicate).length;
    const invalid = lines.length - checked.length;
    const more = lines.length > maxRows ? ` The first ${maxRows} are shown; all are in the download.` : "";
    status.textContent =
      `${checked.length.toLocaleString("en")} checked, ${duplicates.toLocaleString("en")} duplicates` +
      (invalid ? `, ${invalid.toLocaleString("en")} invalid` : "") +
      `.${stored ? " They are in the store now." : ""}${more}`;
    bar.hidden = true;
    downloads.hidden = !lines.length;
  };

  const readLines = async (body, handle) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let partial = "";
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (partial + (value || "")).split("\n");
      partial = done ? "" : parts.pop();
      parts.filter(Boolean).forEach((part) => handle(JSON.parse(part)));
      if (done) return;
    }
  };

  const preview = async (body, name) => {
    if (running) running.abort();
    const controller = new AbortController();
    running = controller;
    lines = [];
    rows.replaceChildren();
    results.hidden = false;
    downloads.hidden = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    status.textContent = `Reading ${name}…`;
    const address = new URL(area.dataset.api, location.href);
    address.searchParams.set("name", name);
    stored = Boolean(keep && keep.checked);
    if (stored) address.searchParams.set("keep", "true");
    try {
      const headers = { "content-type": "application/octet-stream" };
      const response = await fetch(address, { method: "POST", body, headers, signal: controller.signal });
      if (!response.ok) {
        const problem = await response.json().catch(() => ({}));
        throw new Error(problem.detail || `the service responded with ${response.status}`);
      }
      await readLines(response.body, add);
      finish();
    } catch (error) {
      if (controller.signal.aborted) return;
      bar.hidden = true;
      downloads.hidden = !lines.length;
      status.textContent = `Failed: ${error.message}`;
    }
  };

  document.getElementById("pasted").addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(
      [...new FormData(event.target)].filter(([, value]) => value.trim()),
    );
    preview(JSON.stringify(fields), "pasted.jsonl");
  });
  document.getElementById("dropped").addEventListener("submit", (event) => event.preventDefault());
  file.addEventListener("change", () => file.files[0] && preview(file.files[0], file.files[0].name));
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  }
  drop.addEventListener("drop", (event) => {
    const [first] = event.dataTransfer.files;
    if (first) preview(first, first.name);
  });

  // A cell that a spreadsheet would run as a formula gets a quotation mark in front.
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const asCsv = () => {
    const names = ["number", "id", "title", "relation", "is_duplicate", "match", "among", "confidence", "rule", "reasons", "error"];
    const values = (line) => {
      const verdict = line.verdict || {};
      const { id, relation, is_duplicate: duplicate, match: matched, confidence, rule, reasons } = verdict;
      return [line.number, id, line.title, relation, duplicate, matched, line.among, confidence, rule, (reasons || []).join("; "), line.error];
    };
    return [names, ...lines.map(values)].map((cells) => cells.map(cell).join(",")).join("\r\n") + "\r\n";
  };
  const asLines = () => lines.map((line) => JSON.stringify(line)).join("\n") + "\n";

  const download = (text, name, type) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  document.getElementById("download").addEventListener("click", () => download(asLines(), "verdicts.jsonl", "application/x-ndjson"));
  document.getElementById("download-csv").addEventListener("click", () => download(asCsv(), "verdicts.csv", "text/csv"));
})();
