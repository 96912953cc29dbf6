/** The head of a table of changes: the sign of each change has a name for readers of screens alone. */
export function ChangeHead({ columns }: { columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">
          <span class="visually-hidden">Change</span>
        </th>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}
