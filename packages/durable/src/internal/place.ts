import { DurableError } from '../errors.js';
import type { Execution } from '../types.js';
import { assertOwnFlow } from './current.js';
import type { ExecutionRun } from './execution.js';
import { placeDigest, toUuid } from './identity.js';
import { Names } from './names.js';
import type { HostContext } from './outside.js';
import type { OperationInfo } from './sdk.js';

/** The beginning of a flow inside another. */
export interface Origin {
  /** The natural key of the event, or the execution. */
  readonly identity?: string;
  /** The names that lead from the event to the flow. */
  readonly path?: readonly (string | number)[];
  readonly passedMs?: number;
  readonly host?: HostContext;
}

/** The place of a flow in its execution: its names and ids, its time, and the recorded operations that are ahead. */
export class Place {
  readonly run: ExecutionRun;
  host: HostContext;
  protected identity: string;
  protected path: readonly (string | number)[];
  protected passedMs: number;
  protected readonly names = new Names();
  protected readonly history: ReadonlyMap<string, OperationInfo>;
  /** Recorded operations that this invocation has not reached. */
  readonly #ahead: Set<string>;
  #ids = 0;
  /** Leases and slots that the flow holds now. */
  #held = 0;

  /** @param history the recorded operations of the flow, by name */
  constructor(
    run: ExecutionRun,
    history: ReadonlyMap<string, OperationInfo>,
    { identity = run.arn, path = [], passedMs = 0, host = {} }: Origin = {},
  ) {
    this.run = run;
    this.history = history;
    this.#ahead = new Set(history.keys());
    this.identity = identity;
    this.path = path;
    this.passedMs = passedMs;
    this.host = host;
  }

  get arn(): string {
    return this.run.arn;
  }

  get startedAt(): Date {
    return this.run.startedAt;
  }

  get execution(): Execution {
    const { arn, name, startedAt } = this.run;
    return { arn, name, startedAt: new Date(startedAt) };
  }

  /** The execution, and the invocation that writes a line: the request id is the same in all of them. */
  get fields(): Readonly<Record<string, string>> {
    return { execution: this.run.name, invocation_id: this.run.lambdaContext?.awsRequestId ?? '' };
  }

  /** True while recorded operations are ahead. */
  get isReplaying(): boolean {
    return this.#ahead.size > 0;
  }

  get isSilent(): boolean {
    return this.run.isOver || this.isReplaying;
  }

  get passedSeconds(): number {
    return this.passedMs / 1000;
  }

  now(): Date {
    return new Date(this.run.startedAt.getTime() + this.passedMs);
  }

  newId(): string {
    this.#ids += 1;
    return toUuid(placeDigest(this.identity, ...this.path, this.#ids));
  }

  idempotencyKey(name: string): string {
    return placeDigest(this.identity, ...this.path, name);
  }

  get recordedNames(): readonly string[] {
    return [...this.history.keys()];
  }

  recorded(name: string): OperationInfo | undefined {
    return this.history.get(name);
  }

  /** @param operations the number of operations in the history that it adds at most */
  begin(name: string, operations: number): void {
    if (this.run.refusal) throw this.run.refusal;
    assertOwnFlow(this, name);
    this.names.use(name);
    if (!this.history.has(name)) this.run.count(operations, `operation "${name}"`);
  }

  reserve(name: string): void {
    this.names.add(name);
  }

  reach(name: string): void {
    this.#ahead.delete(name);
  }

  endReplay(): void {
    this.#ahead.clear();
  }

  hold(): () => void {
    this.#held += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held -= 1;
      isHeld = false;
    };
  }

  assertNothingHeld(place: string): void {
    if (this.#held === 0) return;
    const text = `${place}: a lease or slot is held, and a suspended execution cannot release it: release it before`;
    throw new DurableError('durable.held', text);
  }
}
