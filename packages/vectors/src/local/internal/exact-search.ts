import type { Page, PageQuery, StoredVector } from '../../store/internal/backend.js';
import { matches } from '../../store/internal/filters.js';
import type { DistanceMetric, QueryHit, VectorData } from '../../store/store.js';

/** Hits of one page. The number is small, so that tests of callers get a second page. */
const PAGE_SIZE = 100;
/** Keys of one page of a listing; small for the same reason. */
export const KEYS_PER_PAGE = 100;

/** The remaining hits of a search. */
class Rest {
  readonly hits: readonly QueryHit[];

  constructor(hits: readonly QueryHit[]) {
    this.hits = hits;
  }
}

/** One page of an exact search. Hits with the same distance are in the order of their keys. */
export function searchPage(
  vectors: Iterable<StoredVector>,
  metric: DistanceMetric,
  query: PageQuery,
  from: unknown,
): Page {
  const hits = from instanceof Rest ? from.hits : search(vectors, metric, query);
  const rest = hits.slice(PAGE_SIZE);
  return { hits: hits.slice(0, PAGE_SIZE), next: rest.length === 0 ? undefined : new Rest(rest) };
}

function search(vectors: Iterable<StoredVector>, metric: DistanceMetric, query: PageQuery): readonly QueryHit[] {
  const hits: QueryHit[] = [];
  for (const { key, data, metadata } of vectors) {
    if (!matches(query.filter, metadata)) continue;
    const distance = DISTANCES[metric](query.vector, data);
    hits.push({ key, distance, ...(query.returnMetadata && metadata && { metadata }) });
  }
  hits.sort((left, right) => left.distance - right.distance || (left.key < right.key ? -1 : 1));
  return hits.slice(0, query.topK);
}

const DISTANCES: Readonly<Record<DistanceMetric, (left: VectorData, right: VectorData) => number>> = {
  /** From 0 for the same direction to 2 for the opposite direction. */
  cosine(left, right) {
    let product = 0;
    let leftSquare = 0;
    let rightSquare = 0;
    for (let at = 0; at < left.length; at += 1) {
      const one = left[at] as number;
      const other = right[at] as number;
      product += one * other;
      leftSquare += one * one;
      rightSquare += other * other;
    }
    const cosine = product / (Math.sqrt(leftSquare) * Math.sqrt(rightSquare));
    return 1 - Math.min(1, Math.max(-1, cosine));
  },
  euclidean(left, right) {
    let sum = 0;
    for (let at = 0; at < left.length; at += 1) sum += ((left[at] as number) - (right[at] as number)) ** 2;
    return Math.sqrt(sum);
  },
};
