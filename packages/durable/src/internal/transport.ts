import { type Members, membersOf } from '@sallyport/core/internal';
import type { StartRecord } from '../types.js';
import type { DurableExecutionClient, DurableSdk, WireOperation } from './sdk.js';

/** The start of executions for records. */
export interface Starter {
  readonly start: StartRecord;
  /** True if records of sources without order start executions by default. */
  readonly isDefault: boolean;
}

/**
 * The transport of one invocation, which keeps the operations that pass through it. The SDK passes them to hooks too, but with hooks it
 * copies all operations of the execution after each checkpoint.
 */
export class Transport implements DurableExecutionClient {
  readonly #client: DurableExecutionClient;
  readonly #operations = new Map<string, WireOperation>();

  constructor(client: DurableExecutionClient, envelope: Members) {
    this.#client = client;
    this.#keep(operationsOf(envelope));
  }

  /** The operations of the execution, as the service has sent them. */
  get operations(): readonly WireOperation[] {
    return [...this.#operations.values()];
  }

  async getExecutionState(
    ...request: Parameters<DurableExecutionClient['getExecutionState']>
  ): ReturnType<DurableExecutionClient['getExecutionState']> {
    const page = await this.#client.getExecutionState(...request);
    this.#keep(page.Operations);
    return page;
  }

  checkpoint(
    ...request: Parameters<DurableExecutionClient['checkpoint']>
  ): ReturnType<DurableExecutionClient['checkpoint']> {
    return this.#client.checkpoint(...request).then((answer) => {
      this.#keep(answer.NewExecutionState?.Operations);
      return answer;
    });
  }

  #keep(operations: readonly WireOperation[] = []): void {
    for (const operation of operations) if (operation.Id) this.#operations.set(operation.Id, operation);
  }
}

function operationsOf(envelope: Members): readonly WireOperation[] {
  return membersOf(envelope.InitialExecutionState).Operations as readonly WireOperation[];
}

/** The service of an execution: its transport. Without the Lambda API it starts the executions of records too, as in a test. */
export interface ExecutionService extends DurableExecutionClient {
  readonly starter?: Starter;
}

/** The client of an invocation: a test passes a client with the event, which JSON cannot contain; an application in an option. */
export function clientOf(
  sdk: DurableSdk,
  event: unknown,
  client: DurableExecutionClient | undefined,
): ExecutionService {
  if (sdk.DurableExecutionInvocationInputWithClient.isInstance(event)) return event.durableExecutionClient;
  return client ?? new sdk.DurableExecutionApiClient();
}
