import type { NextFunction, Request, Response } from 'express';

export function requestTimer(req: Request, res: Response, next: NextFunction) {
  res.setHeader('X-Served-By', 'users');
  next();
}
