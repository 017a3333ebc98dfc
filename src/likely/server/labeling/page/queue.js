// The rows that come next, fetched ahead so that the next one shows at once.

import { get } from "./ask.js";
import { know } from "./state.js";

const AHEAD = 2;
// Queues of rows that are answered, to look at again.
export const AGAIN = ["errors", "disputed"];

export const PURPOSE = {
  mixed: ["Mixed", "Rows the model learns most from, and random ones among them, which tell how good it is."],
  uncertain: ["Uncertain", "Rows between two labels: each answer teaches the model most. They do not count for the accuracy."],
  random: ["Random", "Rows by lot. The first of them are set apart and tell how good the model is."],
  errors: ["Possible label errors", "Rows whose answer the other answers contradict, with what the model says without it. Change it, or skip the row to keep it."],
  unlike: ["Unlike anything seen", "Rows with the most words that no answered row has: what the model knows nothing of."],
  disputed: ["Disputed", "Rows of which as many people say one thing as another. The model learns them once more people agree."],
};

export class Queue {
  #name = "mixed";
  #ready = [];
  #gone = new Set();
  #shown = null;
  #fetching = null;
  #turn = 0;

  get name() { return this.#name; }

  // Begin anew, with another queue or for somebody else.
  choose(name) {
    this.#name = name;
    this.#ready = [];
    this.#gone.clear();
    this.#shown = null;
    this.#fetching = null;
    this.#turn += 1;
  }

  // The next row, or null at the end; the row before is not asked about again.
  async next() {
    const turn = this.#turn;
    if (!this.#ready.length) await this.#fetch();
    if (turn !== this.#turn) return undefined;
    const item = this.#ready.shift() ?? null;
    this.#shown = item;
    if (item) this.#gone.add(item.id);
    this.#fill();
    return item;
  }

  // A row that is to be shown next, since it came back.
  putBack(item) {
    if (item) this.#ready = [item, ...this.#ready.filter((one) => one.id !== item.id)];
  }

  // An answer has arrived; the server leaves this row out by itself, except where it is looked at again.
  settled(id) {
    if (!AGAIN.includes(this.#name)) this.#gone.delete(id);
    this.#fill();
  }

  // What is fetched from here on knows the answers so far.
  drop(ids) {
    const known = new Set(ids);
    this.#ready = this.#ready.filter((item) => !known.has(item.id));
    this.#fill();
  }

  async many(n) {
    const found = await get("/api/next", { queue: this.#name, n });
    know(found.state);
    return found.items;
  }

  #fill() {
    if (this.#ready.length < AHEAD) this.#fetch().catch(() => {});
  }

  #fetch() {
    this.#fetching ??= this.#fetched().finally(() => { this.#fetching = null; });
    return this.#fetching;
  }

  async #fetched() {
    const turn = this.#turn;
    const not = [...this.#gone, ...this.#ready.map((item) => item.id)].slice(-2000);
    const n = this.#ready.length ? 1 : AHEAD;
    const found = await get("/api/next", { queue: this.#name, n, not: not.join(",") });
    if (turn !== this.#turn) return;
    know(found.state);
    const known = new Set([...this.#gone, ...this.#ready.map((item) => item.id)]);
    this.#ready.push(...found.items.filter((item) => !known.has(item.id)));
  }
}
