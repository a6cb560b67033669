export interface User {
  readonly id: string;
  readonly name: string;
  role: string;
}

export const store = new Map<string, User>([
  ['1', { id: '1', name: 'Ada', role: 'admin' }],
  ['2', { id: '2', name: 'Grace', role: 'reader' }],
]);

export async function findUser(id: string): Promise<User | undefined> {
  if (id === 'broken') throw new Error('the table is gone');
  return store.get(id);
}
