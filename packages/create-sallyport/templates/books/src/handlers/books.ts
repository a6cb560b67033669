import { resolver } from '@sallyport/appsync';
import { FrameworkError } from '@sallyport/core';

interface Book {
  readonly id: string;
  readonly title: string;
}

/** In memory for now: each instance of the function has separate books. */
const books = new Map<string, Book>([['1', { id: '1', title: 'The first book' }]]);
const MAX_TITLE = 200;

export const book = resolver<{ id: string }>((_ctx, { id }) => findBook(id));

export const renameBook = resolver<{ id: string; title: string }>((_ctx, { id, title }) => {
  // The schema has checked that it is a string.
  if (title === '' || title.length > MAX_TITLE) {
    throw new FrameworkError('app.validation_failed', `a title has 1 to ${MAX_TITLE} characters`);
  }
  const renamed = { ...findBook(id), title };
  books.set(id, renamed);
  return renamed;
});

/** @throws FrameworkError `app.not_found`, which becomes an entry in the `errors` of the answer */
function findBook(id: string): Book {
  const found = books.get(id);
  if (!found) throw new FrameworkError('app.not_found', 'no such book');
  return found;
}
