import { completeClock } from '@sallyport/core/internal';
import { toWire } from '../internal/codec.js';
import type { MicrovmCommand } from '../lifecycle/states.js';
import type { MicrovmTransport } from '../provider/transport.js';
import { factsOf, type MicrovmCaller } from './caller.js';
import { command } from './internal/commands.js';
import { checkFields, parseSessionId } from './internal/input.js';
import { invokeSession } from './internal/invoke.js';
import { listSessions } from './internal/list.js';
import { ProviderCalls } from './internal/provider-calls.js';
import { runSession } from './internal/run.js';
import { type Dependencies, notify, observe, readSession, sessionAnswer } from './internal/shared.js';
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
 * Runs machines for tenants and carries requests to the programs in them. Every method accepts a caller created by `toMicrovmCaller` or
 * `internalCaller`, and rejects with a MicrovmError. A caller cannot see sessions of another tenant or namespace.
 */
export interface MicrovmController {
  /**
   * Starts a machine and keeps its session.
   *
   * @throws MicrovmError `session_exists`, `idempotency_mismatch`, `image_not_found`, `capacity`, …
   * @example const { sessionId } = await controller.run(caller, { maximumDurationSeconds: 600 });
   */
  run(caller: MicrovmCaller, input?: RunInput): Promise<MicrovmSession>;
  /** Returns a session with its current state at the service. */
  get(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Returns a page of the stored sessions of the caller's tenant and namespace. */
  list(caller: MicrovmCaller, input?: ListInput): Promise<MicrovmSessionList>;
  /** Suspends a machine. Does nothing if it is suspended or suspending. */
  suspend(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Resumes a machine. Does nothing if it is running or resuming. */
  resume(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Terminates a machine permanently. Does nothing if it is terminated or terminating. */
  terminate(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession>;
  /** Creates a token for ports, caches it for `invoke`, and returns its scope and expiry, never its value. */
  authToken(caller: MicrovmCaller, input: AuthTokenInput): Promise<MicrovmTokenInfo>;
  /** Creates a token for the shell, and returns its scope and expiry, never its value. */
  shellAuthToken(caller: MicrovmCaller, input: ShellAuthTokenInput): Promise<MicrovmTokenInfo>;
  /**
   * Sends a request to the program in a machine and returns its response. Redirects are not followed.
   *
   * @throws MicrovmError `workload_unreachable`, `workload_timeout`, `response_too_large`, …
   */
  invoke(caller: MicrovmCaller, input: InvokeInput): Promise<MicrovmInvokeAnswer>;
  /**
   * Finishes interrupted starts, and terminates unused machines recorded in this table. Run it on a schedule, at least every ten
   * minutes. Machines without a row in the table are counted as `unknown` and keep running.
   *
   * @throws MicrovmError `microvm.registry_unavailable`, `microvm.provider_denied` without `lambda:ListMicrovms`, …
   * @example app.eventBus({ ruleName: MICROVM_SWEEP_RULE_NAME }, () => controller.sweep());
   */
  sweep(options?: SweepOptions): Promise<SweepReport>;
}

/**
 * Creates a controller that starts, suspends, resumes and terminates micro-VMs for the tenants of a service, and forwards requests to them.
 * Add its routes with `mountMicrovmController`. It sends no request before its first operation.
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
  const deps: Dependencies = { settings, registry, calls, tokens: new TokenCache(clock), clock, ids };
  return new Controller(deps, provider.transport);
}

class Controller implements MicrovmController {
  readonly #deps: Dependencies;
  readonly #transport: MicrovmTransport;

  constructor(deps: Dependencies, transport: MicrovmTransport) {
    this.#deps = deps;
    this.#transport = transport;
    Object.freeze(this);
  }

  async run(caller: MicrovmCaller, input: RunInput = {}): Promise<MicrovmSession> {
    return runSession(this.#deps, factsOf(caller), toWire(input));
  }

  async get(caller: MicrovmCaller, input: SessionInput): Promise<MicrovmSession> {
    const deps = this.#deps;
    const facts = factsOf(caller);
    const record = await readSession(deps, facts, sessionIdOf(input));
    const observed = await observe(deps, facts, record);
    if (observed.state !== record.state) {
      notify(deps, facts, 'succeeded', {
        operation: 'get',
        sessionId: record.sessionId,
        from: record.state,
        record: observed,
      });
    }
    return sessionAnswer('get', facts, observed);
  }

  async list(caller: MicrovmCaller, input: ListInput = {}): Promise<MicrovmSessionList> {
    return listSessions(this.#deps, factsOf(caller), toWire(input));
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
    return createAuthToken(this.#deps, factsOf(caller), toWire(input));
  }

  async shellAuthToken(caller: MicrovmCaller, input: ShellAuthTokenInput): Promise<MicrovmTokenInfo> {
    return createShellAuthToken(this.#deps, factsOf(caller), toWire(input));
  }

  async invoke(caller: MicrovmCaller, input: InvokeInput): Promise<MicrovmInvokeAnswer> {
    return invokeSession(this.#deps, this.#transport, factsOf(caller), input);
  }

  async sweep(options?: SweepOptions): Promise<SweepReport> {
    return sweepSessions(this.#deps, options);
  }

  async #command(caller: MicrovmCaller, operation: MicrovmCommand, input: SessionInput): Promise<MicrovmSession> {
    return command(this.#deps, factsOf(caller), operation, sessionIdOf(input));
  }
}

function sessionIdOf(input: SessionInput): string {
  return parseSessionId(checkFields(toWire(input), ['session_id']).session_id);
}
