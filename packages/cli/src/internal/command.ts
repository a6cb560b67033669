export { type Around, type Command, EXIT } from '@sallyport/core/internal';
