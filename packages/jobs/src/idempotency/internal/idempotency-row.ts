import type { Condition, Item } from '@sallyport/dynamo';
import { idempotencyKey } from '../../internal/keys.js';
import { type Kit, numberOf, textOf, textsOf } from '../../internal/rows.js';
import { storedOutcome } from '../../internal/transition.js';
import type { IdempotencyRecord } from '../../ledger/ledger.js';
import type { IdempotencyStatus } from '../../ledger/states.js';

/** The one who may complete or abandon. */
export function ownInProgress(owner: string): Condition {
  return {
    all: [
      { attribute: 'status', is: '=', value: 'IN_PROGRESS' },
      { attribute: 'idem_owner', is: '=', value: owner },
    ],
  };
}

/** The record of a row; a result that lies aside is fetched. Rows of other versions may lack anything but their key. */
export async function readRecord(
  { store }: Pick<Kit, 'store'>,
  { scope, key }: Pick<IdempotencyRecord, 'scope' | 'key'>,
  item: Item,
  signal?: AbortSignal,
): Promise<IdempotencyRecord> {
  const aside = textOf(item, 'result_ref');
  const large =
    aside === ''
      ? undefined
      : await store.get({ ...idempotencyKey(scope, key), sk: aside }, { consistent: true, signal });
  const until = item.status === 'IN_PROGRESS' ? numberOf(item, 'in_progress_until_ms') : undefined;
  return {
    scope,
    key,
    status: textOf(item, 'status') as IdempotencyStatus,
    expiresAtMs: numberOf(item, 'expires_at_ms'),
    ...(until !== undefined && { inProgressUntilMs: until }),
    ...textsOf(item, { fingerprint: 'fingerprint', executionId: 'execution_id', completedAt: 'completed_at' }),
    ...storedOutcome(large ? { ...item, result: large.result } : item),
    resultOmitted: item.result_omitted === true || (aside !== '' && large?.result === undefined),
  };
}
