import type { Item } from '@sallyport/dynamo';
import { numberOf, textOf, textsOf } from '../../internal/rows.js';
import { storedOutcome } from '../../internal/transition.js';
import type { Job } from '../ledger.js';
import type { JobStatus } from '../states.js';

/** Rows that other versions wrote may lack anything but their key. */
export function toJob(item: Item): Job {
  const { metadata } = item;
  const createdAt = textOf(item, 'created_at');
  return {
    jobId: textOf(item, 'job_id'),
    tenantId: textOf(item, 'tenant_id'),
    status: textOf(item, 'status') as JobStatus,
    version: numberOf(item, 'version', 1),
    createdAt,
    updatedAt: textOf(item, 'updated_at') || createdAt,
    ...textsOf(item, { startedAt: 'started_at', completedAt: 'completed_at' }),
    ...(typeof metadata === 'object' && !Array.isArray(metadata) && { metadata: metadata as Record<string, string> }),
    ...storedOutcome(item),
  };
}
