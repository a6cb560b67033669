import type { Engine, EngineOptions, UnclearAnswer } from '../../engines/engine.js';
import { TURNS, turn } from '../../internal/tracked-clock.js';
import type { SimulationResult } from '../result.js';
import { type BuildApp, Ledger } from './ledger.js';

/** One simulation: an engine, its records, and the messages for unclear answers. */
export interface Simulation<R> {
  /** Number of records. */
  readonly size: number;
  /** The function's timeout in milliseconds. */
  readonly timeoutMs: number;
  /** The alias of the function that is invoked; none if absent. */
  readonly alias?: string | undefined;
  /** Called before the app is built; returns what makes the engine with its parts. */
  readonly prepare: (ledger: Ledger) => (parts: EngineOptions<R>) => Engine<R>;
  /** True if a record is done when the service has its answer, regardless of the sender. Default: when its handler has completed. */
  readonly byAnswer?: true;
  /** Sends all records to the engine; resolves when that is done. */
  readonly feed: (engine: Engine<R>, clock: Ledger['clock']) => void | Promise<void>;
  /** Messages for an answer whose identifiers AWS cannot assign to records; one for each violation. */
  readonly wordsOf?: (answer: UnclearAnswer) => readonly { readonly record: string; readonly text: string }[];
}

/** Runs a simulation to its end on a virtual clock. */
export async function drive<R>(buildApp: BuildApp, simulation: Simulation<R>): Promise<SimulationResult> {
  const ledger = new Ledger(simulation.timeoutMs, simulation.size, simulation.byAnswer);
  const makeEngine = simulation.prepare(ledger);
  await ledger.open(buildApp, simulation.alias);
  const engine = makeEngine({
    clock: ledger.clock,
    invoke: (delivery) => {
      const invoked = ledger.invoke(delivery);
      if (ledger.isSpent) engine.stop();
      return invoked;
    },
    onChange: (change) => ledger.note(change),
    onUnclear: (answer) => {
      for (const { record, text } of simulation.wordsOf?.(answer) ?? []) ledger.violate(answer.reason, record, text);
    },
  });
  await moveClock(ledger, settled(engine, simulation.feed(engine, ledger.clock)));
  return ledger.close();
}

async function settled<R>(engine: Engine<R>, fed: void | Promise<void>): Promise<void> {
  await fed;
  await engine.settle();
}

/** Advances the clock from timer to timer, each time no other work remains, until the simulation ends. */
async function moveClock(ledger: Ledger, end: Promise<void>): Promise<void> {
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  let seen = -1;
  for (let idle = 0; !isOver; ) {
    await turn();
    idle = ledger.activity === seen ? idle + 1 : 0;
    seen = ledger.activity;
    if (isOver || (ledger.running > 0 && idle < TURNS)) continue;
    const due = ledger.clock.nextDue;
    if (due === undefined) return;
    await ledger.clock.advance(due - ledger.clock.monotonicMs());
    idle = 0;
  }
}
