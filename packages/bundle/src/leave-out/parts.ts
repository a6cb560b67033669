/** Parts of the framework that a bundle can leave out; each is the export condition `sallyport-no-<part>`. */
export const OPTIONAL_PARTS = [
  'events',
  'websocket',
  'graphql',
  'surfaces',
  'cors',
  'hooks',
  'forms',
  'observability',
  'explain',
  'openapi',
  'gateway-v1',
  'gateway-v2',
  'function-url',
  'load-balancer',
] as const;

/** A part that a bundle can leave out. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** The export condition of a bundle without a part. */
export function conditionOf(part: OptionalPart): string {
  return `sallyport-no-${part}`;
}

/** The parts whose use an application shows when it is loaded: the registrations and options that need each. */
const NEEDED_BY: Readonly<Partial<Record<OptionalPart, readonly string[]>>> = {
  // Opt-in triggers deliver their records with the code of events.
  events: ['events', 'streamFailureIdentifier', 'queueConcurrency', 'surfaces'],
  websocket: ['websocket', 'webSocketSupport', 'webSocketClientFactory', 'webSocketEndpoint'],
  graphql: ['graphql', 'batchConcurrency', 'batchResult', 'errorMode'],
  surfaces: ['surfaces'],
  cors: ['cors'],
  hooks: ['onError', 'notFound', 'onResponse'],
};

/**
 * The parts that an application does not use. Forms, observability, tools and front doors are never among them: their use shows only in a request or
 * in the stack.
 *
 * @param uses options and registrations of a container
 */
export function unusedParts(uses: readonly string[]): readonly OptionalPart[] {
  return OPTIONAL_PARTS.filter((part) => NEEDED_BY[part]?.every((name) => !uses.includes(name)));
}
