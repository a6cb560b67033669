import type { ErrorRequestHandler } from 'express';

export class NotFound extends Error {
  readonly status = 404;
}

export const errorHandler: ErrorRequestHandler = (err, req, res, next) => {
  if (res.headersSent) {
    return next(err);
  }
  res.status(err.status ?? 500).json({ message: err.status ? err.message : 'something broke' });
};
