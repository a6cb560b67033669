const express = require('express');
const notes = require('./routes/notes');

const app = express();

app.use(express.json());
app.use('/notes', notes);

app.get('/status', (req, res) => {
  res.set({ 'Cache-Control': 'no-store' }).json({ up: true, agent: req.headers['user-agent'] });
});

app.get('/greet', function (req, res) {
  if (!req.query.name) {
    return res.status(400).send('<p>Who are you?</p>');
  }
  return res.send(`<p>Hello ${req.query.name}</p>`);
});

app.use((req, res) => {
  res.status(404).json({ error: 'nothing here' });
});

app.use((err, req, res, next) => {
  console.error(err.message);
  res.status(err.statusCode || 500).json({ error: err.expose ? err.message : 'internal' });
});

module.exports = app;
