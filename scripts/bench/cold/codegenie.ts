import { configure } from '@codegenie/serverless-express';
import express from 'express';

const app = express();
app.get('/health', (_request, response) => void response.json({ ok: true }));

export const handler = configure({ app });
