/** Maps a list with at most `limit` calls in progress; results are in the list's order. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const queue = [...items.entries()];
  async function lane(): Promise<void> {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await map(next[1]);
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
