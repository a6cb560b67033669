import {
  checkFencedWrites,
  checkKeys,
  checkOverlaps,
  checkSteps,
  checkTokens,
  type Hold,
} from './support/histories.js';

const hold = (holder: string, fromMs: number, toMs: number, token: number): Hold => ({
  name: 'n',
  holder,
  askedMs: fromMs - 1,
  fromMs,
  toMs,
  token,
});

describe('each checker finds the fault that it is for, and nothing in a history without it', () => {
  it.each<[string, () => readonly string[], readonly string[]]>([
    ['tokens in order', () => checkTokens([hold('a', 0, 10, 1), hold('b', 20, 30, 2)]), []],
    ['one token twice', () => checkTokens([hold('a', 0, 10, 1), hold('b', 20, 30, 1)]), ['n: a and b have token 1']],
    ['a token that goes back', () => checkTokens([hold('a', 0, 10, 2), hold('b', 20, 30, 1)]), ['n: 2 came before 1']],
    [
      'a token that was told late',
      () => checkTokens([hold('b', 19, 30, 2), { ...hold('a', 20, 30, 1), askedMs: 5 }]),
      [],
    ],
    ['holders one after the other', () => checkOverlaps([hold('a', 0, 10, 1), hold('b', 10, 20, 2)], 1), []],
    ['two holders at once', () => checkOverlaps([hold('a', 0, 10, 1), hold('b', 9, 20, 2)], 1), ['n: 2 of 1 at 9']],
    [
      'a semaphore above its limit',
      () => checkOverlaps([hold('a', 0, 10, 1), hold('b', 1, 10, 2), hold('c', 2, 3, 3)], 2),
      ['n: 3 of 2 at 2'],
    ],
    ['writes in the order of tokens', () => checkFencedWrites([write(1, 'a'), write(1, 'a'), write(2, 'b')]), []],
    ['a stale write', () => checkFencedWrites([write(2, 'b'), write(1, 'a')]), ['1 of a was taken after 2']],
    ['a shared token', () => checkFencedWrites([write(1, 'a'), write(1, 'b')]), ['b and a wrote with token 1']],
    ['one effect, answered twice', () => keys(['effect', 'x'], ['answer', 'x'], ['answer', 'x']), []],
    ['no effect', () => keys(['answer', 'x']), ['k: no effect', 'k: x is of no effect']],
    ['two effects', () => keys(['effect', 'x'], ['effect', 'y'], ['answer', 'y']), ['k: 2 effects']],
    [
      'two answers',
      () => keys(['effect', 'x'], ['answer', 'x'], ['answer', 'y']),
      ['k: 2 different answers', 'k: y is of no effect'],
    ],
    [
      'an effect after the answer',
      () => keys(['effect', 'x'], ['answer', 'x'], ['effect', 'x']),
      ['k: 2 effects', 'k: an effect after the answer'],
    ],
  ])('%s', (_, check, expected) => {
    expect(check()).toEqual(expected);
  });

  it('detects two winners, a winner of a transition that never happened, and a transition without an answer', () => {
    const told = [
      { step: 'good', caller: 'a', told: 'won' },
      { step: 'good', caller: 'b', told: 'lost' },
      { step: 'double', caller: 'a', told: 'won' },
      { step: 'double', caller: 'b', told: 'won' },
      { step: 'never', caller: 'a', told: 'won' },
      { step: 'lost', caller: 'a', told: 'lost' },
      { step: 'unknown', caller: 'a', told: 'unknown' },
    ] as const;
    expect(checkSteps(told, new Set(['good', 'double', 'lost', 'unknown']))).toEqual({
      doubled: ['double', 'never'],
      lost: ['lost'],
    });
  });
});

function write(token: number, holder: string) {
  return { token, holder };
}

function keys(...events: readonly (readonly ['effect' | 'answer', string])[]): string[] {
  // In reverse order: only the times count.
  const history = events.map(([kind, value], atUs) => ({ atUs, key: 'k', kind, value })).reverse();
  return checkKeys(history, ['k'], { exactlyOnce: true });
}
