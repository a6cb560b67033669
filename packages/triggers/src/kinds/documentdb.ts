import { type Members, membersOf, stringOf } from '@sallyport/core/internal';
import type { Delivered, EventContext, EventHandler } from '@sallyport/streams/delivery';
import { NamedTrigger } from '../internal/handlers.js';
import { keyOf } from '../internal/key.js';
import { recordsOf, requiredText, sourceOf } from '../internal/read.js';
import { defineTrigger } from '../internal/surface.js';

/** A change of a document: https://docs.aws.amazon.com/lambda/latest/dg/with-documentdb.html. Values are in MongoDB's extended JSON. */
export interface DocumentChange {
  /** The resume token of the change. */
  readonly id: string;
  /** `insert`, `update`, `replace`, `delete`, … */
  readonly operation: string;
  /** The database; `''` for a change of the stream itself, `invalidate`. */
  readonly database: string;
  /** The collection; `''` for a change of the whole database or of the stream. */
  readonly collection: string;
  /** Key of the document; absent for changes that do not concern a document. */
  readonly documentKey?: Readonly<Record<string, unknown>>;
  /** The document; absent for deletions, and for updates unless the event source mapping sets `FullDocument`. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** The change event, unchanged. */
  readonly event: Readonly<Record<string, unknown>>;
}

/** Row, natural key and answer of change streams of DocumentDB. @internal */
export const DOCUMENTDB_TRIGGER = /* @__PURE__ */ defineTrigger({
  kind: 'documentdb',
  anyOf: [
    [
      { path: 'eventSource', test: 'equals', value: 'aws:docdb' },
      { path: 'events[0]', test: 'object' },
    ],
  ],
  sample: { eventSource: 'aws:docdb', events: [{ event: { ns: { db: 'd', coll: 'c' } } }] },
  key: ({ source, id }: Delivered) => keyOf(source.arn, id),
  answer: 'null',
});

/** Handlers of change streams of DocumentDB. */
export class DocumentDbTrigger extends NamedTrigger {
  constructor() {
    super(DOCUMENTDB_TRIGGER, 'collection', 'documentdb');
  }

  /**
   * Registers the handler of a collection's changes. It is called for each change, one at a time and in order. If it throws, Lambda
   * delivers the batch again until it succeeds: later changes are not run, earlier changes are retried.
   *
   * @param namespace `database.collection`; the database alone receives changes of collections without a handler
   * @throws FrameworkError `app.invalid_configuration` for a blank or repeated name, or a handler that is not a function
   * @example documentDb().collection('shop.orders', (ctx, { operation, document }) => index(operation, document));
   */
  collection(namespace: string, handler: EventHandler<DocumentChange>): this {
    return this.add(namespace, handler);
  }

  protected override read(event: unknown): readonly Delivered[] {
    const { events, eventSourceArn } = membersOf(event);
    return recordsOf(this.kind, 'events', events).map((entry, index) => {
      const record = toChange(membersOf(entry.event), `events[${index}].event`);
      const { id, database, collection } = record;
      const namespace = collection === '' ? database : `${database}.${collection}`;
      // A change of the stream itself must not hold up the changes around it: this mapping retries until it succeeds.
      const skip = namespace === '' ? { name: '', handler: skipped } : undefined;
      const places = [namespace, database, ALL];
      const found = skip ? (this.find(...places) ?? skip) : this.handlerOf(namespace, ...places);
      return { ...found, record, id, source: sourceOf(namespace, eventSourceArn) };
    });
  }
}

/** The name of the handler of all changes without a more specific handler. */
const ALL = '*';

function skipped(ctx: EventContext, { operation }: DocumentChange): void {
  ctx.log.warn('framework: change without a namespace skipped: register collection("*") to handle it', { operation });
}

function toChange(event: Members, place: string): DocumentChange {
  const { _id, operationType, ns, documentKey, fullDocument } = event;
  const { db, coll } = membersOf(ns);
  return {
    id: stringOf(membersOf(_id)._data),
    operation: stringOf(operationType),
    // `invalidate` has no namespace: https://www.mongodb.com/docs/manual/reference/change-events/invalidate/.
    database: isPresent(ns) ? requiredText('documentdb', `${place}.ns.db`, db) : '',
    collection: stringOf(coll),
    ...(isPresent(documentKey) && { documentKey: membersOf(documentKey) }),
    ...(isPresent(fullDocument) && { document: membersOf(fullDocument) }),
    event,
  };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Makes the surface for change streams of DocumentDB.
 *
 * @example
 * const changes = documentDb().collection('shop.orders', (ctx, { operation, document }) => index(operation, document));
 * const app = new SecureApp({ principalResolver, surfaces: [changes] });
 */
export function documentDb(): DocumentDbTrigger {
  return new DocumentDbTrigger();
}
