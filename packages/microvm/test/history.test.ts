import { checkHistory, type FinalMachine, type FinalRow, type Told } from './support/history.js';

const told = (version: number, state: string, microvmId?: string): Told => ({
  sessionId: 's',
  version,
  state,
  microvmId,
});
const row = (state: string, microvmId?: string, sessionId = 's'): FinalRow => ({ sessionId, state, microvmId });
const machine = (state: string, microvmId = 'm', sessionId = 's'): FinalMachine => ({ microvmId, state, sessionId });

it.each<[string, readonly Told[], readonly FinalRow[], readonly FinalMachine[], readonly string[]]>([
  ['all is well', [told(2, 'running', 'm'), told(2, 'running', 'm')], [row('running', 'm')], [machine('RUNNING')], []],
  ['an ended session', [], [row('terminated', 'm')], [machine('TERMINATED')], []],
  ['a failed session whose machine was ended', [], [row('failed')], [machine('TERMINATED')], []],
  [
    'one version with two states',
    [told(2, 'running'), told(2, 'suspending')],
    [],
    [],
    ['s version 2 is running and suspending'],
  ],
  ['one session with two machines', [told(2, 'running', 'a'), told(3, 'running', 'b')], [], [], ['s has a and b']],
  ['two rows of a session', [], [row('failed'), row('failed')], [], ['s has two rows']],
  ['an open row without a machine', [], [row('running', 'm')], [], ['s is running without a machine']],
  ['a reservation that is left', [], [row('requested')], [], ['s is requested without a machine']],
  [
    'a row that is behind',
    [],
    [row('running', 'm')],
    [machine('TERMINATED')],
    ['s is running, its machine TERMINATED'],
  ],
  ['a machine that nobody names', [], [], [machine('RUNNING')], ['m of s is named by nobody']],
  [
    'a machine of a session that is over',
    [],
    [row('terminated', 'm')],
    [machine('RUNNING')],
    ['s is terminated, its machine RUNNING', 'm of s is named by nobody'],
  ],
  ['a machine of another session', [], [row('running', 'm', 'other')], [machine('RUNNING')], ['m is named by another']],
])('the checker finds: %s', (_, history, rows, machines, violations) => {
  expect(checkHistory(history, rows, machines)).toEqual(violations);
});
