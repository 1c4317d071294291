export function Dock() {
  return <div className="side" />;
}
