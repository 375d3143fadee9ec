/** An HTTP request as OpenAPI describes it. */
export interface OperationCall {
  method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/pets/{petId}`, with the names that path parameters have in the document. */
  path: string;
  parameters: readonly OperationParameter[];
  body?: OperationBody;
  accept?: string;
  /**
   * Keys of the auth methods that the operation accepts. Empty: no credentials. Default: all
   * methods.
   */
  auth?: readonly string[];
  authOptional?: boolean;
}

type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/** `tabDelimited`: Swagger's `tsv`. */
type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'tabDelimited' | 'deepObject';

/** A parameter, and the input that fills it. */
export interface OperationParameter {
  input: string;
  /** The name that is sent. */
  name: string;
  in: ParameterPlace;
  style: ParameterStyle;
  explode: boolean;
  allowReserved?: boolean;
  /** For a parameter with `content`: the media type of its value. */
  contentType?: string;
}

/** Exactly one of `input` and `properties` is the source of the body. */
export interface OperationBody {
  kind: 'json' | 'form' | 'multipart' | 'text' | 'bytes';
  contentType: string;
  /** Whether a body is sent even if the call has none of its inputs. */
  required: boolean;
  /** The input that is the whole body. */
  input?: string;
  /** For an object as body: which input fills which property. */
  properties?: readonly (readonly [input: string, property: string])[];
  /** Whether each remaining input becomes a property of the same name. */
  others?: true;
  encoding?: Readonly<Record<string, PropertyEncoding>>;
}

/** How one property of a form is encoded. */
export interface PropertyEncoding {
  contentType?: string;
  style?: ParameterStyle;
  explode?: boolean;
}
