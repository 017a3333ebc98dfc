// Asks the server. What changes something is sent in order, one after another, each under a key of
// its own: it is sent again until it is answered, and the server does it once.

import { byId, hideOrSay, several } from "./dom.js";

const WAIT = [300, 1000, 2000, 4000];

export class Refusal extends Error {}

let annotator = "";
let waiting = 0;
let last = Promise.resolve();

export function askAs(name) {
  annotator = name;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function once(path, options) {
  const headers = { "X-User": encodeURIComponent(annotator), ...options.headers };
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 503) throw new TypeError("busy");
  const found = await answer.json();
  if (!answer.ok) {
    const { message, hint } = found.error;
    throw new Refusal(hint ? `${message} (${hint})` : message);
  }
  return found;
}

async function untilAnswered(path, options = {}) {
  for (let tries = 0; ; tries += 1) {
    try {
      const found = await once(path, options);
      if (tries) sayConnection("");
      return found;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (tries) {
        const kept = waiting ? ` ${several(waiting, "answer")} will be sent when it is back; keep this page open.` : "";
        sayConnection(`The server does not answer.${kept}`);
      }
      await pause(WAIT[Math.min(tries, WAIT.length - 1)]);
    }
  }
}

function sayConnection(text) {
  const where = byId("connection");
  if (where.textContent !== text) hideOrSay(where, text);
}

export const get = (path, query = {}) => untilAnswered(`${path}?${new URLSearchParams(query)}`);

// What changes nothing, and is asked again anyway: it may fail.
export const compute = (path, body) => once(path, { method: "POST", body: JSON.stringify(body) });

export function send(path, body) {
  const numbers = crypto.getRandomValues(new Uint32Array(4));
  const headers = { "Idempotency-Key": [...numbers].map((n) => n.toString(16)).join("-"), "X-User": encodeURIComponent(annotator) };
  waiting += 1;
  const done = last.then(() => untilAnswered(path, { method: "POST", body: JSON.stringify(body), headers }));
  last = done.catch(() => {}).then(() => { waiting -= 1; });
  return done;
}

export const idle = () => last;

addEventListener("beforeunload", (event) => {
  if (waiting) event.preventDefault();
});
