/** The key of a decision's content, equal in every copy of this package. JSON cannot contain symbols. */
const DECISION: unique symbol = Symbol.for('sallyport.triggers.decision/1') as never;

/** The decision of a handler that authenticates. Only the function of its service makes it, so that no other value allows anything. */
export class Decision<Kind extends string = string> {
  /** @internal */
  declare readonly [DECISION]: { readonly kind: Kind; readonly answer: object };

  /** @internal */
  constructor(kind: Kind, answer: object) {
    // Not enumerable: a spread copy is not a decision.
    Object.defineProperty(this, DECISION, { value: { kind, answer } });
  }
}

/** The answer of a decision for this service; `undefined` for any other value. */
export function readDecision(kind: string, result: unknown): object | undefined {
  if (typeof result !== 'object' || result === null || !(DECISION in result)) return undefined;
  const decision = (result as Decision)[DECISION];
  return decision.kind === kind ? decision.answer : undefined;
}
