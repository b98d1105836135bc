"""clickhouse-sqlalchemy, over HTTP and over the native protocol: what SQLAlchemy and the tools on top of it do."""

from datetime import date

import pytest
from clickhouse_sqlalchemy import engines, get_declarative_base, make_session, types
from clickhouse_sqlalchemy.exceptions import DatabaseException
from sqlalchemy import Column, MetaData, create_engine, func, inspect, select, text


@pytest.fixture(params=["http", "native"])
def engine(server, request):
    port = server.http_port if request.param == "http" else server.tcp_port
    engine = create_engine(f"clickhouse+{request.param}://default:@127.0.0.1:{port}/default")
    yield engine
    engine.dispose()


def test_a_model_is_created_filled_and_asked(engine):
    base = get_declarative_base(metadata=MetaData())

    class Sale(base):
        __tablename__ = "alchemy_sales"
        __table_args__ = (engines.MergeTree(order_by=["id"]),)
        id = Column(types.UInt32, primary_key=True)
        day = Column(types.Date)
        name = Column(types.String)
        price = Column(types.Nullable(types.Float64))

    base.metadata.drop_all(engine)
    base.metadata.create_all(engine)
    session = make_session(engine)
    rows = [{"id": i, "day": date(2024, 1, 1 + i), "name": f"it's {i}", "price": None if i % 2 else i / 2} for i in range(20)]
    session.execute(Sale.__table__.insert(), rows)
    assert session.query(func.count(Sale.id)).scalar() == 20
    found = session.query(Sale).filter(Sale.price > 3).order_by(Sale.id.desc()).limit(2).all()
    assert [(sale.id, sale.day, sale.name, sale.price) for sale in found] == [
        (18, date(2024, 1, 19), "it's 18", 9.0),
        (16, date(2024, 1, 17), "it's 16", 8.0),
    ]
    sums = session.execute(select(Sale.day, func.sum(Sale.price)).group_by(Sale.day).order_by(Sale.day).limit(3)).all()
    assert [row[0] for row in sums] == [date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 3)]
    inspector = inspect(engine)
    assert "alchemy_sales" in inspector.get_table_names()
    assert [column["name"] for column in inspector.get_columns("alchemy_sales")] == ["id", "day", "name", "price"]
    session.close()
    base.metadata.drop_all(engine)


def test_errors_and_parameters(engine):
    with engine.connect() as connection:
        assert connection.execute(text("SELECT :n + 1, :s"), {"n": 1, "s": "a'b"}).fetchall() == [(2, "a'b")]
        with pytest.raises(DatabaseException, match="no_such_table"):
            connection.execute(text("SELECT * FROM no_such_table"))
