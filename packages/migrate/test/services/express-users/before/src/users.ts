import { type NextFunction, type Request, type Response, Router } from 'express';
import { NotFound } from './errors';
import { findUser, store } from './store';

/** Everything about users. */
export const users = Router();

// Only the service itself may write.
function requireKey(req: Request, res: Response, next: NextFunction) {
  if (req.get('x-api-key') !== 'secret') {
    res.status(401).json({ message: 'key missing' });
    return;
  }
  next();
}

users.get('/', (req, res) => {
  const { role, limit = '10' } = req.query;
  const found = [...store.values()].filter((user) => role === undefined || user.role === role);
  res.set('X-Total', String(found.length));
  res.json(found.slice(0, Number(limit)));
});

users.get('/:id', async (req: Request, res: Response, next: NextFunction) => {
  try {
    const user = await findUser(req.params.id);
    if (!user) throw new NotFound('no such user');
    res.json(user);
  } catch (err) {
    next(err);
  }
});

users.post('/', requireKey, async (req, res) => {
  const { name, role } = req.body;
  if (typeof name !== 'string') {
    return res.status(400).json({ message: 'name is required' });
  }
  const user = { id: String(store.size + 1), name, role: role ?? 'reader' };
  store.set(user.id, user);
  res.status(201).location(`/users/${user.id}`).json(user);
});

users.put('/:id/role', requireKey, (req, res, next) => {
  findUser(req.params.id)
    .then((user) => {
      if (!user) throw new NotFound('no such user');
      user.role = req.body.role;
      res.json(user);
    })
    .catch(next);
});

users.delete('/:id', requireKey, (req, res) => {
  if (!store.delete(req.params.id)) {
    res.sendStatus(404);
    return;
  }
  res.status(204).end();
});

users.get('/:id/avatar', (req, res) => {
  res.type('text').send(`avatar of ${req.params.id}`);
});
