const notes = new Map([['1', { id: '1', text: 'buy milk', tags: ['home'] }]]);

function missing(id) {
  return Object.assign(new Error(`note ${id} does not exist`), { statusCode: 404, expose: true });
}

exports.list = (req, res) => {
  const tag = req.query.tag;
  const all = [...notes.values()];
  res.json(tag ? all.filter((note) => note.tags.includes(tag)) : all);
};

exports.get = (req, res, next) => {
  const note = notes.get(req.params.id);
  if (!note) return next(missing(req.params.id));
  res.json(note);
};

exports.create = (req, res) => {
  const note = { id: String(notes.size + 1), tags: [], ...req.body };
  notes.set(note.id, note);
  res.status(201).json(note);
};

exports.update = async (req, res) => {
  const { id } = req.params;
  const note = notes.get(id);
  if (!note) {
    throw missing(id);
  }
  Object.assign(note, req.body);
  res.json(note);
};

exports.remove = (req, res) => {
  if (notes.delete(req.params.id)) {
    res.status(204).end();
  } else {
    res.status(404).json({ error: 'already gone' });
  }
};

exports.raw = (req, res) => {
  const note = notes.get(req.params.id);
  res.send(note.text);
};
