import type { Item, ItemQuery, Key } from '@sallyport/dynamo';
import { isPastTtl } from '@sallyport/dynamo';
import { decodeCursor, encodeCursor } from '../../internal/cursor.js';
import { JOB_ERRORS } from '../../internal/errors-of.js';
import { assertInput, isoTime, oneOf, whole } from '../../internal/input.js';
import { assertId, tenantStatus } from '../../internal/keys.js';
import { type Kit, textOf } from '../../internal/rows.js';
import { STATUS_CREATED_INDEX, TENANT_CREATED_INDEX } from '../../schema.js';
import type { CallOptions, Job, ListJobsInput, Page } from '../ledger.js';
import { JOB_STATUSES } from '../states.js';
import { toJob } from './job-row.js';

const INPUT = ['tenantId', 'status', 'createdFrom', 'createdTo', 'order', 'limit', 'cursor'];
const EARLIEST = '0000-01-01T00:00:00.000Z';
const LATEST = '9999-12-31T23:59:59.999Z';
const MAX_LIMIT = 100;

/** One page: keys from the index, then the jobs themselves. What changed its status meanwhile is left out. */
export async function listJobs(
  { store, clock }: Kit,
  input: ListJobsInput,
  { signal }: CallOptions,
): Promise<Page<Job>> {
  const { tenantId, status, order, limit, from, to } = parse(input);
  const binding = ['jobs', tenantId, status, from, to, order];
  const start = decodeCursor(input.cursor, binding, ['pk', 'created_at'], JOB_ERRORS);
  signal?.throwIfAborted();
  if (from > to) return { items: [] };
  const source = sourceOf(tenantId, status);
  const { items: keys, more } = await store.query(
    {
      ...source,
      sort: { name: 'created_at', from, to },
      newestFirst: order === 'newest',
      limit,
      start: start && startAt(start, source.partition, from, to),
    },
    { signal },
  );
  const found = new Map((await store.getMany(keys.map(toKey), { signal })).map((item) => [textOf(item, 'pk'), item]));
  const nowMs = clock.now().getTime();
  const jobs = keys.flatMap((key) => {
    const item = found.get(textOf(key, 'pk'));
    const isWanted = item?.tenant_id === tenantId && (status === undefined || item.status === status);
    return isWanted && !isPastTtl(item, nowMs) ? toJob(item) : [];
  });
  return { items: jobs, ...(more && { cursor: cursorBehind(keys.at(-1) ?? {}, binding) }) };
}

function parse(input: ListJobsInput) {
  assertInput(input, INPUT, JOB_ERRORS);
  const { tenantId, status, createdFrom, createdTo } = input;
  assertId('tenantId', tenantId, JOB_ERRORS);
  return {
    tenantId,
    status: status === undefined ? undefined : oneOf('status', status, JOB_STATUSES, JOB_ERRORS),
    from: createdFrom === undefined ? EARLIEST : isoTime('createdFrom', createdFrom, JOB_ERRORS),
    to: createdTo === undefined ? LATEST : isoTime('createdTo', createdTo, JOB_ERRORS),
    order: oneOf('order', input.order ?? 'newest', ['newest', 'oldest'], JOB_ERRORS),
    limit: whole('limit', input.limit ?? 50, 1, MAX_LIMIT, JOB_ERRORS),
  };
}

function sourceOf(tenantId: string, status: string | undefined): Required<Pick<ItemQuery, 'index' | 'partition'>> {
  return status === undefined
    ? { index: TENANT_CREATED_INDEX, partition: { name: 'tenant_id', value: tenantId } }
    : { index: STATUS_CREATED_INDEX, partition: { name: 'tenant_status', value: tenantStatus(tenantId, status) } };
}

/** The partition is the query's own; DynamoDB wants the position within its bounds. */
function startAt(
  { pk = '', created_at = '' }: Readonly<Record<string, string>>,
  { name, value }: ItemQuery['partition'],
  from: string,
  to: string,
): Item {
  if (created_at < from || created_at > to) throw JOB_ERRORS.invalid('cursor does not belong to this query');
  return { pk, sk: 'META', created_at, [name]: value };
}

function cursorBehind(key: Item, binding: readonly unknown[]): string {
  return encodeCursor(binding, { pk: textOf(key, 'pk'), created_at: textOf(key, 'created_at') });
}

function toKey(item: Item): Key {
  return { pk: textOf(item, 'pk'), sk: textOf(item, 'sk') };
}
