export class InvalidTodo extends Error {
  override readonly name = 'InvalidTodo';
}

export function parseTodo(id: string, { title }: { title?: unknown }) {
  if (typeof title !== 'string') throw new InvalidTodo('title must be text');
  return { id, title, done: false };
}
