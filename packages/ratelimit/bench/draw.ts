/** Random numbers and distributions for simulations, the same in each run. */

/** Numbers from 0 to 1 that look random. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Shares of the traffic: the second tenant has half as many requests as the first, the third a third. */
export function zipf(count: number): number[] {
  const ranks = Array.from({ length: count }, (_, rank) => 1 / (rank + 1));
  const total = ranks.reduce((sum, weight) => sum + weight, 0);
  return ranks.map((weight) => weight / total);
}

/** Draws by weight in constant time (Vose's alias method). */
export function alias(shares: readonly number[], random: () => number): () => number {
  const size = shares.length;
  const own = new Float64Array(size);
  const other = new Int32Array(size);
  const scaled = shares.map((share) => share * size);
  const [small, large]: [number[], number[]] = [[], []];
  for (const [index, share] of scaled.entries()) (share < 1 ? small : large).push(index);
  while (small.length > 0 && large.length > 0) {
    const [less, more] = [small.pop() ?? 0, large.pop() ?? 0];
    own[less] = scaled[less] ?? 1;
    other[less] = more;
    scaled[more] = (scaled[more] ?? 0) + (scaled[less] ?? 0) - 1;
    ((scaled[more] ?? 0) < 1 ? small : large).push(more);
  }
  for (const index of [...small, ...large]) own[index] = 1;
  return () => {
    const index = Math.floor(random() * size);
    return random() < (own[index] ?? 1) ? index : (other[index] ?? 0);
  };
}
