import { AsyncSource } from '../../sources/async.js';
import type { SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { toNotification } from './notification.js';
import { createS3 } from './operations.js';
import { buckets } from './state.js';

/** Notifications of changes in a bucket. */
const notifications: SourceType<AsyncSource, 's3', never> = {
  kind: 's3',
  arn: (name) => `arn:aws:s3:::${name}`,
  create: (run, name) => new AsyncSource(notifications, name, run),
};

/** S3 on the files of a run. The function is notified of changes in buckets for which it has a handler. */
export const s3 = {
  name: 's3',
  state: buckets,
  view: {
    title: 'Buckets',
    one: 'Bucket',
    columns: ['key', 'bytes', 'changed'],
    list: async (state) => state.get(buckets).list(),
    items: async (state, name) => ({ items: state.get(buckets).objects(name), next: null }),
  },
  sources: [notifications],
  operations({ sources, state, now }) {
    let changes = 0;
    return createS3({
      store: state.get(buckets).store,
      now,
      onChange(change, traceId) {
        changes += 1;
        const { bucket } = change;
        if (!sources.hasHandler('s3', bucket)) return;
        sources.get(notifications, bucket).send(newId(), toNotification(change, changes), traceId);
      },
    });
  },
} as const satisfies LocalService;
