/** The events of the service `notes`, in the form that `sallyport types` writes. */
export interface NotesContract {
  bus: { 'notes/NoteAdded': NoteAdded };
}
export interface NoteAdded {
  authorId: string;
  id: string;
  text: string;
  title: string;
}
