import express from 'express';
import serverless from 'serverless-http';

const app = express();
app.get('/health', (_request, response) => void response.json({ ok: true }));

export const handler = serverless(app);
