import { isDeepStrictEqual } from 'node:util';
import { localError } from '../errors.js';
import type { Host } from '../host/host.js';
import type { Cleaner } from '../journal/cleaner.js';
import { hiddenIn, revealedIn } from '../journal/hidden.js';
import { tables } from '../services/dynamodb/table-state.js';
import { readRevealEarlier, readRevealItem } from './bodies.js';
import { listData, readStore } from './data.js';
import type { Routes } from './routes.js';

type ItemRoute =
  | 'GET /api/data'
  | 'GET /api/data/{service}/{name}'
  | 'POST /api/reveal-item'
  | 'GET /api/invocations/{id}/writes'
  | 'GET /api/past/{table}/{id}'
  | 'POST /api/reveal-earlier';

/** The routes of items: of current and earlier tables, and of items before and after writes. */
export function itemRoutes(
  { state, journal }: Pick<Host, 'state' | 'journal'>,
  clean: Cleaner,
): Pick<Routes, ItemRoute> {
  const found = state.get(tables);
  const writesOf = async (id: number) => {
    const record = journal.raw(id);
    if (!record?.awsCalls.some(({ service }) => service === 'dynamodb')) return [];
    return found.past.writesOf(record, await found.endpoint());
  };
  const pastOf = async (table: string, id: number) => {
    const record = journal.raw(id);
    if (!record) throw localError('local.not_found', `framework: invocation ${id} is no longer in memory`);
    return found.past.at(table, record.startedAt, await found.endpoint());
  };
  /** The value of one hidden place. It is in no record and no file. @throws FrameworkError `local.not_found` if the item has changed */
  const reveal = (raw: unknown, shown: unknown, path: readonly string[]) => {
    const own = clean(raw);
    if (!isDeepStrictEqual(own, shown))
      throw localError('local.not_found', 'framework: the item is no longer as the page shows it: read it again');
    const value = revealedIn(raw, own, path);
    if (value === undefined)
      throw localError('local.not_found', `framework: the item hides nothing at ${path.join('.')}`);
    return { value };
  };
  return {
    'GET /api/data': () => listData(state),
    'GET /api/data/{service}/{name}': async ({ params, query }) => {
      const { items, next } = await readStore(state, params.service, params.name, query.get('start') ?? undefined);
      // Each item alone: the limits of the sanitizer are for one value.
      const shown = items.map(clean);
      return { items: shown, hidden: items.map((item, index) => hiddenIn(item, shown[index])), next };
    },
    'POST /api/reveal-item': async ({ body }) => {
      const { service, name, start, index, shown, path } = readRevealItem(body);
      return reveal((await readStore(state, service, name, start)).items[index], shown, path);
    },
    'GET /api/invocations/{id}/writes': async ({ params }) =>
      (await writesOf(Number(params.id))).map(({ before, after, ...one }) => {
        const images = { before, after };
        const shown = clean(images) as typeof images;
        return { ...one, key: clean(one.key), ...shown, hidden: hiddenIn(images, shown) };
      }),
    'GET /api/past/{table}/{id}': async ({ params: { table = '', id } }) => {
      const past = await pastOf(table, Number(id));
      const items = past.items.map(({ item: raw, isChanged }) => {
        const item = clean(raw);
        return { item, isChanged, hidden: hiddenIn(raw, item) };
      });
      return { ...past, items };
    },
    'POST /api/reveal-earlier': async ({ body }) => {
      const { id, table, index, shown, path } = readRevealEarlier(body);
      if (table !== undefined) return reveal((await pastOf(table, id)).items[index]?.item, shown, path);
      const { before, after } = (await writesOf(id))[index] ?? {};
      return reveal({ before, after }, shown, path);
    },
  };
}
