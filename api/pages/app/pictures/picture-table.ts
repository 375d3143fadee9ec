/** The numbers of a picture as a table: the data of `pictures/picture-table`. */
export interface PictureTable {
  /** What opens it; also the name of the table. */
  summary: string;
  columns: readonly string[];
  /** The first cell is the row's header. */
  rows: readonly (readonly string[])[];
  /** One sentence about what the rows leave out. */
  rest?: string | undefined;
}
