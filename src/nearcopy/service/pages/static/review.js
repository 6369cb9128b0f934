// Review by keyboard, one pair after another; feedback is sent to the API at once.
"use strict";
(() => {
  const list = document.getElementById("pairs");
  if (!list) return;
  const pairs = [...list.querySelectorAll(".pair")];
  const status = document.getElementById("message");
  const progress = document.getElementById("progress");
  const bar = document.getElementById("bar");
  const count = document.getElementById("count");
  const keys = { s: "same", d: "different", u: "update" };
  const bodies = {
    same: { same: true },
    different: { same: false },
    update: { same: true, relation: "revision" },
  };
  const mayWrite = Boolean(list.querySelector("button[name=answer]"));
  const history = []; // pairs in the order of feedback, for undo
  let feedback = Number(progress.dataset.feedback);
  let current = 0;
  let sending = false;

  const show = (index, focus = true) => {
    current = Math.max(0, Math.min(index, pairs.length - 1));
    pairs.forEach((pair, n) => pair.classList.toggle("current", n === current));
    if (focus) pairs[current].focus({ preventScroll: false });
  };

  const announce = (text) => { status.textContent = text; };

  const addToCount = (change) => {
    feedback += change;
    bar.value = Math.min(feedback, bar.max);
    count.textContent = `${feedback.toLocaleString("en")} ${feedback === 1 ? "pair" : "pairs"}`;
  };

  const send = async (method, address, body) => {
    const response = await fetch(address, {
      method,
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    const content = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(content.detail || `the service responded with ${response.status}`);
    return content;
  };

  const next = () => {
    const open = (pair) => !pair.dataset.answer;
    const later = pairs.findIndex((pair, n) => n > current && open(pair));
    const index = later >= 0 ? later : pairs.findIndex(open);
    if (index >= 0) {
      show(index);
      return;
    }
    const more = document.getElementById("more");
    if (more) {
      announce("Last pair of this page: loading more pairs");
      location.assign(more.href);
    } else {
      announce("That was the last pair");
    }
  };

  const mark = (pair, answer) => {
    if (answer) pair.dataset.answer = answer;
    else delete pair.dataset.answer;
    pair.querySelector(".answer").textContent = answer ? `feedback: ${answer}` : "";
  };

  const giveFeedback = async (pair, answer) => {
    if (sending) return;
    sending = true;
    try {
      const { a, b } = pair.dataset;
      await send("POST", list.dataset.api, { a, b, ...bodies[answer] });
      if (!pair.dataset.answer) addToCount(1);
      mark(pair, answer);
      history.push(pair);
      announce(`Feedback: ${answer}. ${feedback} pairs in all`);
      next();
    } catch (error) {
      pair.querySelector(".answer").textContent = error.message;
      announce(`Failed: ${error.message}`);
    } finally {
      sending = false;
    }
  };

  const undo = async () => {
    const pair = history.pop();
    if (!pair || sending) return;
    sending = true;
    try {
      const { a, b } = pair.dataset;
      const query = new URLSearchParams({ a, b });
      const separator = list.dataset.api.includes("?") ? "&" : "?";
      await send("DELETE", `${list.dataset.api}${separator}${query}`);
      mark(pair, "");
      addToCount(-1);
      announce("Feedback retracted");
      show(pairs.indexOf(pair));
    } catch (error) {
      announce(`Failed: ${error.message}`);
    } finally {
      sending = false;
    }
  };

  list.addEventListener("submit", (event) => {
    const answer = event.submitter && event.submitter.value;
    if (!(answer in bodies)) return;
    event.preventDefault();
    giveFeedback(event.target.closest(".pair"), answer);
  });

  list.addEventListener("click", (event) => {
    const { move } = event.target.dataset;
    if (move === "0") undo();
    else if (move) show(current + Number(move));
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    if (key === "j") show(current + 1);
    else if (key === "k") show(current - 1);
    else if (mayWrite && key in keys) giveFeedback(pairs[current], keys[key]);
    else if (mayWrite && key === "z") undo();
    else return;
    event.preventDefault();
  });

  list.querySelectorAll(".moves").forEach((buttons) => { buttons.hidden = false; });
  list.classList.add("one-by-one");
  show(0, false);
})();
