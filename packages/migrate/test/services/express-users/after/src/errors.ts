import type { Context } from '@sallyport/core';
import { json } from '@sallyport/http';

export class NotFound extends Error {
  readonly status = 404;
}

export const errorHandler = (ctx: Context, err: any) => {
  return json(err.status ?? 500, { message: err.status ? err.message : 'something broke' });
};
