const { json, noContent } = require('@sallyport/http');
const notes = new Map([['1', { id: '1', text: 'buy milk', tags: ['home'] }]]);

function missing(id) {
  return Object.assign(new Error(`note ${id} does not exist`), { statusCode: 404, expose: true });
}

exports.list = (ctx) => {
  const tag = ctx.query('tag');
  const all = [...notes.values()];
  return json(200, tag ? all.filter((note) => note.tags.includes(tag)) : all);
};

exports.get = (ctx) => {
  const note = notes.get(ctx.param('id'));
  if (!note) throw missing(ctx.param('id'));
  return json(200, note);
};

exports.create = (ctx) => {
  const note = { id: String(notes.size + 1), tags: [], ...ctx.bodyJson() };
  notes.set(note.id, note);
  return json(201, note);
};

exports.update = async (ctx) => {
  const id = ctx.param('id');
  const note = notes.get(id);
  if (!note) {
    throw missing(id);
  }
  Object.assign(note, ctx.bodyJson());
  return json(200, note);
};

exports.remove = (ctx) => {
  if (notes.delete(ctx.param('id'))) {
    return noContent();
  } else {
    return json(404, { error: 'already gone' });
  }
};

exports.raw = (ctx) => {
  const note = notes.get(ctx.param('id'));
  // TODO(sallyport): send of a value: json, html or binary of @sallyport/http, as its type is
  return json(200, note.text);
};
