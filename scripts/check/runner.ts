import type { Gate } from './gate.js';

export interface GateResult {
  readonly name: string;
  readonly findings: readonly string[];
  /** Figures that the gate measured. */
  readonly notes: readonly string[];
  readonly seconds: number;
}

export interface RunnerOptions {
  /** The number of gates that run concurrently. */
  readonly concurrency: number;
  /** Called as each gate ends, in the order of ending. */
  readonly onResult: (result: GateResult) => void;
}

/** Runs every gate, even after a failure. A gate that throws has failed. Results are in the order of the table. */
export async function runGates(gates: readonly Gate[], options: RunnerOptions): Promise<readonly GateResult[]> {
  assertOrder(gates);
  const results = new Map<string, GateResult>();
  const waiting = [...gates];
  const running = new Set<Promise<void>>();
  while (waiting.length > 0 || running.size > 0) {
    const index = waiting.findIndex((gate) => isReady(gate, gates, results));
    if (index >= 0 && running.size < options.concurrency) {
      const [gate] = waiting.splice(index, 1);
      if (!gate) continue;
      const task = runGate(gate).then((result) => {
        results.set(result.name, result);
        options.onResult(result);
        running.delete(task);
      });
      running.add(task);
    } else {
      await Promise.race(running);
    }
  }
  return gates.flatMap((gate) => results.get(gate.name) ?? []);
}

/** A gate can wait for gates that are not part of this run. */
function isReady(gate: Gate, gates: readonly Gate[], results: ReadonlyMap<string, GateResult>): boolean {
  return (gate.after ?? []).every((name) => results.has(name) || !gates.some((other) => other.name === name));
}

/** A gate may only wait for gates above it in the table, so that there is no deadlock. */
function assertOrder(gates: readonly Gate[]): void {
  for (const [index, gate] of gates.entries()) {
    for (const name of gate.after ?? []) {
      const position = gates.findIndex((other) => other.name === name);
      if (position >= index) throw new Error(`gate ${gate.name} waits for ${name}, which is below it in the table`);
    }
  }
}

async function runGate(gate: Gate): Promise<GateResult> {
  const start = performance.now();
  const notes: string[] = [];
  const findings = await gate
    .run((figure) => notes.push(figure))
    .catch((error: unknown) => [error instanceof Error ? error.message : String(error)]);
  return { name: gate.name, findings, notes, seconds: (performance.now() - start) / 1000 };
}
