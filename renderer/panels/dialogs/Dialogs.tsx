export function Dialogs() {
  return <div className="side" />;
}
