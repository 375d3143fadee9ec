/** The data of the template `pictures/picture-table`: the numbers of a picture as a table. */
export interface PictureTable {
  /** Also the accessible name of the table. */
  summary: string;
  columns: readonly string[];
  /** The first cell is the row's header. */
  rows: readonly (readonly string[])[];
  rest?: string | undefined;
}
