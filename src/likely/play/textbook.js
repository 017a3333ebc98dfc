// The formulas of `likely.textbook`, in the order of the tabs. Nothing here knows of the page.

// Texts

const WHITE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const NEGATORS = new Set(["not", "no", "never", "cannot"]);

/** A text in lower case, split at white space. */
const words = (text) => text.toLowerCase().split(WHITE).filter(Boolean);

/** A token without the punctuation at its end. */
function bare(token) {
  let end = token.length;
  while (end && ".,;:!?".includes(token[end - 1])) end -= 1;
  return token.slice(0, end);
}

/** not w₁ w₂ … → not NOT_w₁ NOT_w₂ …, until punctuation or "but". */
function markNegation(tokens) {
  const marked = [];
  let isNegated = false;
  for (const token of tokens) {
    const word = bare(token);
    const isNegator = NEGATORS.has(word) || word.endsWith("n't");
    if (word === "but") isNegated = false;
    if (word) marked.push(isNegated && !isNegator ? `NOT_${word}` : word);
    isNegated = word === token && (isNegator || isNegated);
  }
  return marked;
}

/** What is counted of a text: its words; they may be marked, have bigrams, and count once each. */
function features(text, { negation, bigrams, binary, most } = {}) {
  const tokens = words(text).slice(0, most);
  const found = negation ? markNegation(tokens) : tokens.map(bare).filter(Boolean);
  const pairs = bigrams ? found.slice(1).map((word, i) => `${found[i]} ${word}`) : [];
  const all = [...found, ...pairs];
  return binary ? unique(all) : all;
}

// Bayes' rule: posterior = prior · likelihood / evidence, in fractions

/** Each class has a name, a prior and the factors of its likelihood, each a top over a bottom. */
function bayes(classes) {
  const found = classes.map(({ name, prior, factors }) => {
    const given = factors.map((one) => ({ ...one, p: one.top.over(one.bottom) }));
    const likelihood = productOf(given.map((one) => one.p));
    const logLikelihood = given.reduce((sum, one) => sum + log(one.p), 0);
    const joint = prior.times(likelihood);
    const logJoint = log(prior) + logLikelihood;
    const plain = multiplied(prior, given);
    return { name, prior, factors: given, likelihood, logLikelihood, joint, logJoint, plain };
  });
  const evidence = sumOf(found.map((one) => one.joint));
  const isImpossible = evidence.n === 0n;
  for (const one of found) one.posterior = isImpossible ? one.prior : one.joint.over(evidence);
  return { classes: found, evidence, isImpossible, best: argmax(found, (one) => one.posterior) };
}

/** The same product in floating point, factor by factor, and the factor that made it 0. */
function multiplied(prior, factors) {
  let product = +prior;
  let zeroAt = null;
  factors.forEach(({ p }, i) => {
    const before = product;
    product *= +p;
    if (before && !product && p.n) zeroAt ??= i + 1;
  });
  return { product, zeroAt };
}

/** The class of the highest score; of equals the one whose name sorts first. */
function argmax(classes, score) {
  const sorted = [...classes].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.reduce((best, one) => (score(one).exceeds(score(best)) ? one : best)).name;
}

/** P(c): by the rows of each class, the same for all, or by weights. */
function priors(rows, kind, weights) {
  const part = { data: (n) => whole(n), uniform: () => ONE, own: (_, c) => weights[c] }[kind];
  const parts = rows.map(part);
  const total = sumOf(parts);
  return parts.map((one) => one.over(total));
}

const unique = (each) => [...new Set(each)];
const whole = (n) => new Fraction(BigInt(n));

/** How often each word occurs in each class: D has pairs of words and their class. */
function countWords(D) {
  const C = unique(D.map(([, c]) => c));
  const place = new Map(C.map((c, i) => [c, i]));
  const n = new Map();
  const rows = C.map(() => 0);
  const totals = C.map(() => 0);
  for (const [document, c] of D) {
    rows[place.get(c)] += 1;
    for (const word of document) {
      if (!n.has(word)) n.set(word, C.map(() => 0));
      n.get(word)[place.get(c)] += 1;
      totals[place.get(c)] += 1;
    }
  }
  return { C, n, rows, totals };
}

/** P(c) · ∏ P(w | c), with P(w | c) = (n_w + α) / (n + α·|V|), over the known words. */
function multinomial(counts, document, { alpha = ONE, prior = "data", weights = [] } = {}) {
  const { C, n, rows, totals } = counts;
  const known = document.filter((word) => n.has(word));
  const bottoms = totals.map((total) => whole(total).plus(alpha.times(whole(n.size))));
  const p = priors(rows, prior, weights);
  const factor = (name, c) => ({ name, top: whole(n.get(name)[c]).plus(alpha), bottom: bottoms[c] });
  const factors = (c) => known.map((word) => factor(word, c));
  return bayes(C.map((name, c) => ({ name, prior: p[c], factors: factors(c) })));
}

// Attributes

/** How often each value occurs in each class: rows of attributes, with the class last. */
function countValues(D) {
  const C = unique(D.map((row) => row.at(-1)));
  const own = C.map((c) => D.filter((row) => row.at(-1) === c));
  const n = (D[0] ?? [null]).slice(0, -1).map((_, i) => {
    const values = unique(D.map((row) => row[i]));
    const times = (a) => own.map((rows) => rows.filter((row) => row[i] === a).length);
    return new Map(values.map((a) => [a, times(a)]));
  });
  return { C, n, rows: own.map((rows) => rows.length) };
}

/** P(a | c) = (n_a + m·p) / (n + m): n_a of n rows have the value, and m·p of m virtual ones. */
function mEstimate(n_a, n, m, p) {
  return { top: whole(n_a).plus(m.times(p)), bottom: whole(n).plus(m) };
}

/** p = 1/q, for q values. */
const uniform = ({ n }) => (i) => ONE.over(whole(n[i].size));

/** P(c) · ∏ P(a | c), by m-estimates; a value that no row has is ignored. */
function categorical(counts, x, { m = ONE, share = uniform(counts) } = {}) {
  const { C, n, rows } = counts;
  const p = priors(rows, "data");
  const known = [...x.entries()].filter(([i, a]) => n[i].has(a));
  const factor = (i, a, c) => mEstimate(n[i].get(a)[c], rows[c], m, share(i, a));
  const factors = (c) => known.map(([i, a]) => ({ name: a, ...factor(i, a, c) }));
  return bayes(C.map((name, c) => ({ name, prior: p[c], factors: factors(c) })));
}

/** K·∏q + K probabilities in the full table, K·Σq + K in the naive model; and those free. */
function tableParameters(q, K) {
  const cells = q.reduce((product, n) => product * n, 1);
  const sum = q.reduce((total, n) => total + n, 0);
  const full = { all: K * cells + K, free: K * (cells - 1) + K - 1 };
  return { full, naive: { all: K * sum + K, free: K * (sum - q.length) + K - 1 } };
}

// Numbers in two columns

const meanOf = (x) => sumOf(x).over(whole(x.length));

/** S_xy = Σ (x − μ_x)·(y − μ_y) = Σ x·y − Σ x · Σ y / n, without rounding. */
function scatter(x, y) {
  const products = sumOf(x.map((one, i) => one.times(y[i])));
  return products.minus(sumOf(x).times(sumOf(y)).over(whole(x.length)));
}

/** What the three models need of a class: how many points, their mean and their scatter. */
function moments(points) {
  const [x, y] = [points.map((p) => exact(p[0])), points.map((p) => exact(p[1]))];
  const S = [scatter(x, x), scatter(x, y), scatter(y, y)];
  return { n: points.length, mean: [meanOf(x), meanOf(y)], S };
}

/** Σ of each class as [a, b, d] in [a b; b d]; null where the points do not suffice. */
function covariances(classes) {
  const scaled = (S, n) => (n > 0 ? S.map((s) => s.over(whole(n))) : null);
  const n = classes.reduce((total, one) => total + one.n, 0) - classes.length;
  const pooled = scaled([0, 1, 2].map((i) => sumOf(classes.map((one) => one.S[i]))), n);
  const all = {
    QDA: classes.map((one) => scaled(one.S, one.n - 1)),
    "Gaussian NB": classes.map((one) => scaled([one.S[0], ZERO, one.S[2]], one.n)),
    LDA: classes.map(() => pooled),
  };
  const isEmpty = classes.some((one) => !one.n);
  const isUsable = (sigma) => !isEmpty && sigma && determinant(sigma).n > 0n;
  const usable = (sigmas) => sigmas.map((one) => (isUsable(one) ? one : null));
  return Object.fromEntries(Object.entries(all).map(([model, sigmas]) => [model, usable(sigmas)]));
}

const determinant = ([a, b, d]) => a.times(d).minus(b.times(b));

/** log N(x; μ, Σ) = −½ [ 2 log 2π + log det Σ + (x − μ)ᵀ Σ⁻¹ (x − μ) ]. */
function logNormal2d(x, mu, sigma) {
  const [a, b, d] = sigma;
  const det = determinant(sigma);
  const [u, v] = x.map((one, i) => exact(one).minus(mu[i]));
  const mixed = whole(2).times(b).times(u).times(v);
  const squares = d.times(u).times(u).minus(mixed).plus(a.times(v).times(v));
  return -0.5 * (2 * Math.log(2 * Math.PI) + log(det) + +squares.over(det));
}

/** P(c | x) by log P(c) + log N(x; μ_c, Σ_c); null where a class has no covariance. */
function gaussianPosterior(x, classes, sigmas) {
  if (sigmas.some((sigma) => !sigma)) return null;
  const N = whole(classes.reduce((total, one) => total + one.n, 0));
  const prior = (one) => log(whole(one.n).over(N));
  return softmax(classes.map((one, c) => prior(one) + logNormal2d(x, one.mean, sigmas[c])));
}

/** Parameters of D columns and K classes. */
function gaussianParameters(D, K) {
  const triangle = (D * (D + 1)) / 2;
  return { QDA: D * K + K * triangle, "Gaussian NB": 2 * D * K, LDA: D * K + triangle };
}

/** r = S_xy / √(S_xx · S_yy); null where one of the two does not vary. */
function correlation([xx, xy, yy]) {
  if (!xx.n || !yy.n) return null;
  return Math.sign(Number(xy.n)) * Math.sqrt(+xy.times(xy).over(xx.times(yy)));
}

// EM

/** e^s / Σ e^s. Less the maximum, nothing underflows. */
function softmax(scores) {
  const most = Math.max(...scores);
  const odds = scores.map((score) => Math.exp(score - most));
  const total = summed(odds);
  return odds.map((one) => one / total);
}

/** A sum that keeps what each addition rounds away (Neumaier). */
function summed(numbers) {
  let sum = 0;
  let lost = 0;
  for (const one of numbers) {
    const next = sum + one;
    lost += Math.abs(sum) >= Math.abs(one) ? sum - next + one : one - next + sum;
    sum = next;
  }
  return sum + lost;
}

/** log N(x; μ, σ²) = −½ [ log 2π + log σ² + (x − μ)² / σ² ]. */
const logNormal = (x, mu, variance) =>
  -0.5 * (Math.log(2 * Math.PI) + Math.log(variance) + (x - mu) ** 2 / variance);

/** The E step: E[z_j] = N(x; μ_j, σ²) / Σ_k N(x; μ_k, σ²), of each point. */
const expectation = (xs, means, variance) =>
  xs.map((x) => softmax(means.map((mu) => logNormal(x, mu, variance))));

/** The M step: μ_j = Σ_i E[z_ij]·x_i / Σ_i E[z_ij]. One without points stays. */
function maximization(xs, z, means) {
  return means.map((mu, j) => {
    const n = summed(z.map((each) => each[j]));
    return n ? summed(z.map((each, i) => each[j] * xs[i])) / n : mu;
  });
}

const emStep = (xs, means, variance) => maximization(xs, expectation(xs, means, variance), means);

/** The means after each step, until they hardly move, but at most so many. */
function em(xs, start, variance, { tolerance = 1e-9, most = 10000 } = {}) {
  const path = [start, emStep(xs, start, variance)];
  const moved = () => Math.hypot(...path.at(-1).map((mu, j) => mu - path.at(-2)[j]));
  while (moved() > tolerance * (1 + Math.hypot(...path.at(-1))) && path.length < most) {
    path.push(emStep(xs, path.at(-1), variance));
  }
  return path;
}

/** Σ_i log Σ_j N(x_i; μ_j, σ²) / k: what no step lowers. */
function logLikelihood(xs, means, variance) {
  return summed(
    xs.map((x) => {
      const scores = means.map((mu) => logNormal(x, mu, variance));
      const most = Math.max(...scores);
      return most + Math.log(summed(scores.map((score) => Math.exp(score - most))) / means.length);
    }),
  );
}

// Evaluation: a table for each class

/** tp, fp, fn, tn of each class; rows are what the system said, columns gold. */
function tables(matrix) {
  const total = matrix.flat().reduce((sum, n) => sum + n, 0);
  return matrix.map((row, c) => {
    const tp = row[c];
    const said = row.reduce((sum, n) => sum + n, 0);
    const gold = matrix.reduce((sum, other) => sum + other[c], 0);
    return { tp, fp: said - tp, fn: gold - tp, tn: total - said - gold + tp };
  });
}

/** Σ_c of each cell. */
function pooled(all) {
  const sum = (cell) => all.reduce((total, table) => total + table[cell], 0);
  return { tp: sum("tp"), fp: sum("fp"), fn: sum("fn"), tn: sum("tn") };
}

const precision = ({ tp, fp }) => whole(tp).over(whole(tp + fp));
const recall = ({ tp, fn }) => whole(tp).over(whole(tp + fn));
const accuracy = ({ tp, fp, fn, tn }) => whole(tp + tn).over(whole(tp + fp + fn + tn));

/** F_β = (β² + 1)·P·R / (β²·P + R). */
function fMeasure(table, beta = ONE) {
  const [P, R, squared] = [precision(table), recall(table), beta.times(beta)];
  return squared.plus(ONE).times(P).times(R).over(squared.times(P).plus(R));
}

const macro = (measure, all) => sumOf(all.map((table) => measure(table))).over(whole(all.length));
const micro = (measure, all) => measure(pooled(all));

/** tp, fp, fn, tn where everything scored at least so much is said to be of the class. */
function tableAt(threshold, scored) {
  const table = { tp: 0, fp: 0, fn: 0, tn: 0 };
  for (const { score, isGold } of scored) {
    table[score >= threshold ? (isGold ? "tp" : "fp") : isGold ? "fn" : "tn"] += 1;
  }
  return table;
}
