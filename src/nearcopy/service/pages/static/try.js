// Try: what is pasted or dropped goes to the API, and verdicts are shown as they come.
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
  const shownAtMost = 500;
  let found = [];
  let kept = false; // whether these are added to the store
  let running = null;
  let spoken = 0; // when the progress was last put in words

  // Everything is put in as text: nothing of an article is ever markup.
  const element = (name, given = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const said = (text) => {
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
    const title = said(line.match_title || line.verdict.match);
    if (line.among === "store") return element("a", { href: storyOf(line) }, title);
    return element("span", {}, title, element("span", { class: "meta" }, "in this file"));
  };

  const row = (line) => {
    const number = element("td", { class: "num" }, String(line.number || ""));
    if (line.error) {
      const where = line.line ? `line ${line.line}: ` : "";
      return element("tr", { class: "clash" }, number, element("td", { colspan: 5 }, where + line.error));
    }
    const { relation, reasons, confidence, flags } = line.verdict;
    const is = element("span", { class: `mark ${relation}` }, relation.replaceAll("_", " "));
    const why = [...reasons, ...flags].join("; ");
    return element(
      "tr", {}, number,
      element("th", { scope: "row" }, said(line.title)),
      element("td", {}, is),
      element("td", {}, match(line)),
      element("td", {}, element("bdi", { dir: "auto" }, why.length > 200 ? `${why.slice(0, 200)}…` : why)),
      element("td", { class: "num" }, confidence.toFixed(2)),
    );
  };

  const told = (line) => {
    found.push(line);
    if (line.total) {
      bar.max = line.total;
      bar.value = line.number;
      if (Date.now() - spoken > 1000) { // a screen reader says it: not for every line
        spoken = Date.now();
        status.textContent = `${line.number.toLocaleString("en")} of ${line.total.toLocaleString("en")}`;
      }
    }
    if (found.length <= shownAtMost) rows.append(row(line));
  };

  const finish = () => {
    const judged = found.filter((line) => line.verdict);
    const copies = judged.filter((line) => line.verdict.is_duplicate).length;
    const wrong = found.length - judged.length;
    const more = found.length > shownAtMost ? ` The first ${shownAtMost} are shown; all are in the download.` : "";
    status.textContent =
      `${judged.length.toLocaleString("en")} judged, ${copies.toLocaleString("en")} duplicates` +
      (wrong ? `, ${wrong.toLocaleString("en")} could not be read` : "") +
      `.${kept ? " They are in the store now." : ""}${more}`;
    bar.hidden = true;
    downloads.hidden = !found.length;
  };

  const lines = async (body, each) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (value || "")).split("\n");
      rest = done ? "" : parts.pop();
      parts.filter(Boolean).forEach((part) => each(JSON.parse(part)));
      if (done) return;
    }
  };

  const trial = async (body, name) => {
    if (running) running.abort();
    const mine = new AbortController();
    running = mine;
    found = [];
    rows.replaceChildren();
    results.hidden = false;
    downloads.hidden = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    status.textContent = `Reading ${name}…`;
    const address = new URL(area.dataset.api, location.href);
    address.searchParams.set("name", name);
    kept = Boolean(keep && keep.checked);
    if (kept) address.searchParams.set("keep", "true");
    try {
      const kind = { "content-type": "application/octet-stream" };
      const answer = await fetch(address, { method: "POST", body, headers: kind, signal: mine.signal });
      if (!answer.ok) {
        const wrong = await answer.json().catch(() => ({}));
        throw new Error(wrong.detail || `the service answered ${answer.status}`);
      }
      await lines(answer.body, told);
      finish();
    } catch (wrong) {
      if (mine.signal.aborted) return;
      bar.hidden = true;
      downloads.hidden = !found.length;
      status.textContent = `That did not work: ${wrong.message}`;
    }
  };

  document.getElementById("pasted").addEventListener("submit", (event) => {
    event.preventDefault();
    const given = Object.fromEntries(
      [...new FormData(event.target)].filter(([, value]) => value.trim()),
    );
    trial(JSON.stringify(given), "pasted.jsonl");
  });
  document.getElementById("dropped").addEventListener("submit", (event) => event.preventDefault());
  file.addEventListener("change", () => file.files[0] && trial(file.files[0], file.files[0].name));
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  }
  drop.addEventListener("drop", (event) => {
    const [first] = event.dataTransfer.files;
    if (first) trial(first, first.name);
  });

  // A cell that a spreadsheet would take for a formula begins with a quotation mark instead.
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const asCsv = () => {
    const names = ["number", "id", "title", "relation", "is_duplicate", "match", "among", "confidence", "rule", "reasons", "error"];
    const values = (line) => {
      const verdict = line.verdict || {};
      const { id, relation, is_duplicate: copy, match: to, confidence, rule, reasons } = verdict;
      return [line.number, id, line.title, relation, copy, to, line.among, confidence, rule, (reasons || []).join("; "), line.error];
    };
    return [names, ...found.map(values)].map((each) => each.map(cell).join(",")).join("\r\n") + "\r\n";
  };
  const asLines = () => found.map((line) => JSON.stringify(line)).join("\n") + "\n";

  const download = (text, name, type) => {
    const address = URL.createObjectURL(new Blob([text], { type }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  document.getElementById("download").addEventListener("click", () => download(asLines(), "verdicts.jsonl", "application/x-ndjson"));
  document.getElementById("download-csv").addEventListener("click", () => download(asCsv(), "verdicts.csv", "text/csv"));
})();
