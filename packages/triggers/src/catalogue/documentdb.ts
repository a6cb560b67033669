import { defineOptions, object, string } from '@sallyport/core/options';
import { DOCUMENTDB_TRIGGER, documentDb } from '../kinds/documentdb.js';
import { describeTrigger } from './entry.js';
import { assertRecords } from './internal/build.js';

/** Options of one change of {@link buildDocumentDbEvent}. */
export interface DocumentChangeOptions {
  /** Default `insert`. */
  readonly operation?: string;
  /** The document; absent of deletions. Default `{ _id: { $oid: '<n>' } }`. */
  readonly document?: Readonly<Record<string, unknown>>;
}

const DOCUMENT_CHANGE = /* @__PURE__ */ defineOptions<DocumentChangeOptions>()({
  operation: string.default('insert'),
  document: object<Readonly<Record<string, unknown>>>(),
});

/**
 * Builds a batch of changes of one collection of DocumentDB.
 *
 * @param namespace `database.collection`
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html
 * @throws FrameworkError `app.invalid_configuration` for no changes, an unknown option or a wrong type
 * @example buildDocumentDbEvent('shop.orders', [{ document: { total: 5 } }, { operation: 'delete' }]);
 */
export function buildDocumentDbEvent(
  namespace: string,
  changes: readonly DocumentChangeOptions[],
): Record<string, unknown> {
  assertRecords('buildDocumentDbEvent', changes);
  const [db = '', ...rest] = namespace.split('.');
  return {
    eventSource: 'aws:docdb',
    eventSourceArn: 'arn:aws:rds:us-east-1:123456789012:cluster:cluster-1',
    events: changes.map((change, index) => {
      const { operation, document } = DOCUMENT_CHANGE.parse(change);
      const _id = { $oid: String(index + 1).padStart(24, '0') };
      return {
        event: {
          _id: { _data: String(index + 1).padStart(38, '0') },
          clusterTime: { $timestamp: { t: 0, i: index + 1 } },
          documentKey: { _id },
          ...(operation !== 'delete' && { fullDocument: { _id, ...document } }),
          ns: { db, coll: rest.join('.') },
          operationType: operation,
        },
      };
    }),
  };
}

/** DocumentDB change streams in the catalogue. @internal */
export const DOCUMENTDB = /* @__PURE__ */ describeTrigger(DOCUMENTDB_TRIGGER, {
  sample: {
    build: buildDocumentDbEvent,
    events: [
      [
        buildDocumentDbEvent('shop.orders', [{}]),
        'arn:aws:rds:us-east-1:123456789012:cluster:cluster-1|00000000000000000000000000000000000001',
      ],
    ],
    names: ['shop.orders'],
    register: (handlers) => handlers.reduce((trigger, one) => trigger.collection(...one), documentDb()),
  },
  docs: {
    section: 'DocumentDB change streams',
    rows: [
      ['`documentDb()` with `collection(namespace, handler)`; `DocumentDbTrigger`, `DocumentChange`', 'change streams'],
    ],
  },
  construct: 'documentDb',
  simulate: 'blocking',
  aws: {
    author: 'DocumentDB; an application wrote the documents',
    failure: 'Lambda retries the batch until it succeeds or expires',
    limit: 'not read',
    attached: 'an event source mapping',
  },
  sizes: { factory: 'documentDb', gzipBytes: 11_300 },
});
