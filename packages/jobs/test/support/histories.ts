/** Checks for the actions of several processes on one table. Each returns violations as sentences; empty if there are no violations. */

/** One holder of a lease or slot: from the response to the acquisition until the release, or until its end by the holder's clock. */
export interface Hold {
  readonly name: string;
  readonly holder: string;
  /** Time of the request; 0 if unknown. */
  readonly askedMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The fencing token; absent for slots. */
  readonly token?: number;
}

/** Checks that tokens are unique, and that a request after another caller's response gets a larger token. */
export function checkTokens(holds: readonly Hold[]): string[] {
  const violations: string[] = [];
  const inOrder = [...holds].sort((a, b) => a.fromMs - b.fromMs);
  for (const [index, hold] of inOrder.entries()) {
    for (const earlier of inOrder.slice(0, index).filter(({ name }) => name === hold.name)) {
      const [first = 0, second = 0] = [earlier.token, hold.token];
      if (first === second) violations.push(`${hold.name}: ${earlier.holder} and ${hold.holder} have token ${second}`);
      else if (first > second && earlier.fromMs < hold.askedMs)
        violations.push(`${hold.name}: ${first} came before ${second}`);
    }
  }
  return violations;
}

/** Checks that at most `limit` holders hold a name at any time. */
export function checkOverlaps(holds: readonly Hold[], limit: number): string[] {
  const violations: string[] = [];
  for (const name of new Set(holds.map((hold) => hold.name))) {
    const ends = holds
      .filter((hold) => hold.name === name && hold.toMs > hold.fromMs)
      .flatMap(({ fromMs, toMs }) => [
        { at: fromMs, by: 1 },
        { at: toMs, by: -1 },
      ])
      .sort((a, b) => a.at - b.at || a.by - b.by);
    let held = 0;
    for (const { at, by } of ends) {
      held += by;
      if (by > 0 && held > limit) violations.push(`${name}: ${held} of ${limit} at ${at}`);
    }
  }
  return violations;
}

/** A write to a resource that rejects tokens smaller than its largest token. */
export interface FencedWrite {
  readonly token: number;
  readonly holder: string;
}

/** Checks that a fenced resource accepts writes in the order of tokens, and that each token has one writer. */
export function checkFencedWrites(accepted: readonly FencedWrite[]): string[] {
  const violations: string[] = [];
  let largest: FencedWrite = { token: 0, holder: '' };
  for (const write of accepted) {
    if (write.token < largest.token)
      violations.push(`${write.token} of ${write.holder} was taken after ${largest.token}`);
    if (write.token === largest.token && write.holder !== largest.holder) {
      violations.push(`${write.holder} and ${largest.holder} wrote with token ${write.token}`);
    }
    if (write.token >= largest.token) largest = write;
  }
  return violations;
}

/** An event of an idempotency key. Processes report events in any order, so each event has its time. */
export interface KeyEvent {
  /** Microseconds of the machine's monotonic clock, which all processes share: the time after an effect, or the time of an answer. */
  readonly atUs: number;
  readonly key: string;
  readonly kind: 'effect' | 'answer';
  readonly value: string;
}

/**
 * Every key has an effect and one answer, which is the value of an effect, and no effect follows an answer. Without crashes and
 * takeovers (`exactlyOnce`) there is one effect.
 */
export function checkKeys(
  events: readonly KeyEvent[],
  keys: readonly string[],
  { exactlyOnce }: { readonly exactlyOnce: boolean },
): string[] {
  const violations: string[] = [];
  for (const key of keys) {
    const own = events.filter((event) => event.key === key).sort((a, b) => a.atUs - b.atUs);
    const effects = own.filter(({ kind }) => kind === 'effect').map(({ value }) => value);
    const answers = [...new Set(own.filter(({ kind }) => kind === 'answer').map(({ value }) => value))];
    if (effects.length === 0) violations.push(`${key}: no effect`);
    if (exactlyOnce && effects.length > 1) violations.push(`${key}: ${effects.length} effects`);
    if (answers.length !== 1) violations.push(`${key}: ${answers.length} different answers`);
    for (const answer of answers) if (!effects.includes(answer)) violations.push(`${key}: ${answer} is of no effect`);
    const answered = own.findIndex(({ kind }) => kind === 'answer');
    const late = own.findLastIndex(({ kind }) => kind === 'effect');
    if (answered !== -1 && late > answered) violations.push(`${key}: an effect after the answer`);
  }
  return violations;
}

/** The response to one caller's attempt at a step. `unknown`: the store failed, so the step may have happened. */
export interface StepTold {
  /** Id and new value of the change; only one caller may make each step. */
  readonly step: string;
  readonly caller: string;
  readonly told: 'won' | 'lost' | 'unknown';
}

/** Checks that each step has at most one winner, and that each applied step has a winner or an unknown response. */
export function checkSteps(
  told: readonly StepTold[],
  happened: ReadonlySet<string>,
): { doubled: string[]; lost: string[] } {
  const won = new Map<string, number>();
  const unsure = new Set<string>();
  for (const { step, told: outcome } of told) {
    if (outcome === 'won') won.set(step, (won.get(step) ?? 0) + 1);
    if (outcome === 'unknown') unsure.add(step);
  }
  const doubled = [...won].filter(([step, winners]) => winners > 1 || !happened.has(step)).map(([step]) => step);
  const lost = [...happened].filter((step) => !won.has(step) && !unsure.has(step));
  return { doubled, lost };
}
