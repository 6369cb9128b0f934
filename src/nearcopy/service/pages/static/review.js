// Review by keyboard: one pair after another; what is said goes to the API at once.
"use strict";
(() => {
  const list = document.getElementById("pairs");
  if (!list) return;
  const pairs = [...list.querySelectorAll(".pair")];
  const status = document.getElementById("said");
  const progress = document.getElementById("progress");
  const bar = document.getElementById("bar");
  const count = document.getElementById("count");
  const saying = { s: "same", d: "different", u: "update" };
  const bodies = {
    same: { same: true },
    different: { same: false },
    update: { same: true, relation: "revision" },
  };
  const mayWrite = Boolean(list.querySelector("button[name=said]"));
  const said = []; // pairs in the order they were spoken of, for taking back
  let told = Number(progress.dataset.told);
  let place = 0;
  let waiting = false;

  const show = (to, focus = true) => {
    place = Math.max(0, Math.min(to, pairs.length - 1));
    pairs.forEach((each, n) => each.classList.toggle("current", n === place));
    if (focus) pairs[place].focus({ preventScroll: false });
  };

  const tell = (text) => { status.textContent = text; };

  const counted = (more) => {
    told += more;
    bar.value = Math.min(told, bar.max);
    count.textContent = `${told.toLocaleString("en")} ${told === 1 ? "pair" : "pairs"}`;
  };

  const asked = async (method, address, body) => {
    const answer = await fetch(address, {
      method,
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    const found = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(found.detail || `the service answered ${answer.status}`);
    return found;
  };

  const next = () => {
    const left = pairs.findIndex((each, n) => n > place && !each.dataset.said);
    const any = left >= 0 ? left : pairs.findIndex((each) => !each.dataset.said);
    if (any >= 0) {
      show(any);
      return;
    }
    const more = document.getElementById("more");
    if (more) {
      tell("That was the last of this page: more pairs are coming");
      location.assign(more.href);
    } else {
      tell("That was the last pair");
    }
  };

  const mark = (pair, what) => {
    if (what) pair.dataset.said = what;
    else delete pair.dataset.said;
    pair.querySelector(".answer").textContent = what ? `said: ${what}` : "";
  };

  const say = async (pair, what) => {
    if (waiting) return;
    waiting = true;
    try {
      const { a, b } = pair.dataset;
      await asked("POST", list.dataset.api, { a, b, ...bodies[what] });
      if (!pair.dataset.said) counted(1);
      mark(pair, what);
      said.push(pair);
      tell(`Said: ${what}. ${told} pairs in all`);
      next();
    } catch (wrong) {
      pair.querySelector(".answer").textContent = wrong.message;
      tell(`Not done: ${wrong.message}`);
    } finally {
      waiting = false;
    }
  };

  const takeBack = async () => {
    const pair = said.pop();
    if (!pair || waiting) return;
    waiting = true;
    try {
      const { a, b } = pair.dataset;
      const query = new URLSearchParams({ a, b });
      const mark_ = list.dataset.api.includes("?") ? "&" : "?";
      await asked("DELETE", `${list.dataset.api}${mark_}${query}`);
      mark(pair, "");
      counted(-1);
      tell("Taken back");
      show(pairs.indexOf(pair));
    } catch (wrong) {
      tell(`Not done: ${wrong.message}`);
    } finally {
      waiting = false;
    }
  };

  list.addEventListener("submit", (event) => {
    const what = event.submitter && event.submitter.value;
    if (!(what in bodies)) return;
    event.preventDefault();
    say(event.target.closest(".pair"), what);
  });

  list.addEventListener("click", (event) => {
    const { move } = event.target.dataset;
    if (move === "0") takeBack();
    else if (move) show(place + Number(move));
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) return;
    const key = event.key.toLowerCase();
    if (key === "j") show(place + 1);
    else if (key === "k") show(place - 1);
    else if (mayWrite && key in saying) say(pairs[place], saying[key]);
    else if (mayWrite && key === "z") takeBack();
    else return;
    event.preventDefault();
  });

  list.querySelectorAll(".moves").forEach((each) => { each.hidden = false; });
  list.classList.add("one-by-one");
  show(0, false);
})();
