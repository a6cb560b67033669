import cors from 'cors';
import express from 'express';
import serverless from 'serverless-http';
import { errorHandler } from './errors';
import { requestTimer } from './timer';
import { users } from './users';

const app = express();
app.disable('x-powered-by');
app.use(cors({ origin: 'https://app.example' }));
app.use(express.json());
app.use(requestTimer);

app.get('/', (req, res) => {
  res.json({ service: 'users' });
});
app.get('/health', (req, res) => res.send({ ok: true }));
app.get('/old-users', (req, res) => {
  res.redirect(301, '/users');
});
app.use('/users', users);
app.use(errorHandler);

export const handler = serverless(app);
