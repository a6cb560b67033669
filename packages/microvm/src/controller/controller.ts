import { completeClock } from '@sallyport/core/pipeline';
import { toWire } from '../internal/codec.js';
import type { MicrovmCommand } from '../lifecycle/states.js';
import type { MicrovmTransport } from '../provider/transport.js';
import { factsOf, type MicrovmCaller } from './caller.js';
import { command } from './internal/commands.js';
import { checkFields, parseSessionId } from './internal/input.js';
import { invokeSession } from './internal/invoke.js';
import { listSessions } from './internal/list.js';
import { observe, type Parts, readSession, sessionAnswer, tell } from './internal/parts.js';
import { ProviderCalls } from './internal/provider-calls.js';
import { runSession } from './internal/run.js';
import { sweepSessions } from './internal/sweep.js';
import { TokenCache } from './internal/token-cache.js';
import { createAuthToken, createShellAuthToken } from './internal/tokens.js';
import { type MicrovmControllerOptions, parseControllerOptions } from './options.js';
import type {
  AuthTokenInput,
  InvokeInput,
  ListInput,
  MicrovmInvokeAnswer,
  MicrovmSession,
  MicrovmSessionList,
  MicrovmTokenInfo,
  RunInput,
  SessionInput,
  ShellAuthTokenInput,
  SweepOptions,
  SweepReport,
} from './types.js';

/**
 * Runs machines for tenants and carries requests to the programs in them. Every method takes a caller that `toMicrovmCaller` or
 * `internalCaller` made, and rejects with a MicrovmError. A session of another tenant or namespace does not exist for a caller.
 */
export interface MicrovmController {
  /**
   * Starts a machine and keeps its session.
   *
   * @throws MicrovmError `session_exists`, `idempotency_mismatch`, `image_not_found`, `capacity`, …
   * @example const { sessionId } = await controller.run(caller, { maximumDurationSeconds: 600 });
   */
  run(caller: MicrovmCaller, input?: RunInput): Promise<MicrovmSession>;
  /** One session, with the state that the service shows now. */
  get(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** One page of the sessions of the caller's tenant and namespace, as they are stored. */
  list(caller: MicrovmCaller, input?: ListInput): Promise<MicrovmSessionList>;
  /** Suspends a machine. Nothing happens where it is suspended or about to be. */
  suspend(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Resumes a machine. Nothing happens where it runs or is about to. */
  resume(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Ends a machine for good. Nothing happens where it has ended or is about to. */
  terminate(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Makes a token for ports, keeps it for `invoke`, and tells what it is for. Its value is never shown. */
  authToken(caller: MicrovmCaller, input: AuthTokenInput): Promise<MicrovmTokenInfo>;
  /** Makes a token for the shell, and tells what it is for. Its value is never shown. */
  shellAuthToken(caller: MicrovmCaller, input: ShellAuthTokenInput): Promise<MicrovmTokenInfo>;
  /**
   * Carries a request to the program in a machine, and its answer back. Redirects are not followed.
   *
   * @throws MicrovmError `workload_unreachable`, `workload_timeout`, `response_too_large`, …
   */
  invoke(caller: MicrovmCaller, input: InvokeInput): Promise<MicrovmInvokeAnswer>;
  /**
   * Finishes interrupted starts, and terminates machines that this table knows to be its own and unused. Run it on a schedule, at
   * least every ten minutes. Machines that the table knows nothing about are counted as `unknown` and keep running.
   *
   * @throws MicrovmError `microvm.registry_unavailable`, `microvm.provider_denied` without `lambda:ListMicrovms`, …
   * @example app.eventBus({ ruleName: MICROVM_SWEEP_RULE_NAME }, () => controller.sweep());
   */
  sweep(options?: SweepOptions): Promise<SweepReport>;
}

/**
 * Makes a controller. Nothing is sent before its first operation.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option, and without an image
 * @example
 * const controller = createMicrovmController({
 *   provider: createAwsMicrovmProvider(),
 *   registry: createDynamoMicrovmRegistry(),
 *   images: [{ ref: imageArn, version: '3.0' }],
 * });
 */
export function createMicrovmController(options: MicrovmControllerOptions): MicrovmController {
  const { provider, registry, settings, clock: given, ids } = parseControllerOptions(options);
  const clock = completeClock(given);
  const calls = new ProviderCalls(provider, clock);
  const parts: Parts = { settings, registry, calls, tokens: new TokenCache(clock), clock, ids };
  return new Controller(parts, provider.transport);
}

class Controller implements MicrovmController {
  readonly #parts: Parts;
  readonly #transport: MicrovmTransport;

  constructor(parts: Parts, transport: MicrovmTransport) {
    this.#parts = parts;
    this.#transport = transport;
    Object.freeze(this);
  }

  async run(caller: MicrovmCaller, input: RunInput = {}): Promise<MicrovmSession> {
    return runSession(this.#parts, factsOf(caller), toWire(input));
  }

  async get(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession> {
    const parts = this.#parts;
    const facts = factsOf(caller);
    const record = await readSession(parts, facts, sessionIdOf(input));
    const observed = await observe(parts, facts, record);
    if (observed.state !== record.state) {
      tell(parts, facts, 'succeeded', {
        operation: 'get',
        sessionId: record.sessionId,
        from: record.state,
        record: observed,
      });
    }
    return sessionAnswer('get', facts, observed);
  }

  async list(caller: MicrovmCaller, input: ListInput = {}): Promise<MicrovmSessionList> {
    return listSessions(this.#parts, factsOf(caller), toWire(input));
  }

  suspend(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession> {
    return this.#command(caller, 'suspend', input);
  }

  resume(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession> {
    return this.#command(caller, 'resume', input);
  }

  terminate(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession> {
    return this.#command(caller, 'terminate', input);
  }

  async authToken(caller: MicrovmCaller, input: AuthTokenInput): Promise<MicrovmTokenInfo> {
    return createAuthToken(this.#parts, factsOf(caller), toWire(input));
  }

  async shellAuthToken(caller: MicrovmCaller, input: ShellAuthTokenInput): Promise<MicrovmTokenInfo> {
    return createShellAuthToken(this.#parts, factsOf(caller), toWire(input));
  }

  async invoke(caller: MicrovmCaller, input: InvokeInput): Promise<MicrovmInvokeAnswer> {
    return invokeSession(this.#parts, this.#transport, factsOf(caller), input);
  }

  async sweep(options?: SweepOptions): Promise<SweepReport> {
    return sweepSessions(this.#parts, options);
  }

  async #command(caller: MicrovmCaller, operation: MicrovmCommand, input: SessionInput): Promise<MicrovmSession> {
    return command(this.#parts, factsOf(caller), operation, sessionIdOf(input));
  }
}

function sessionIdOf(input: SessionInput): string {
  return parseSessionId(checkFields(toWire(input), ['session_id']).session_id);
}
