export const books = [
  { isbn: '1', title: 'Notes', genre: 'maths' },
  { isbn: '2', title: 'Programming', genre: 'computing' },
];
