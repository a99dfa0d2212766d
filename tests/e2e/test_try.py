import time
def test_it(stoic, model, agent, cypher):
    stoic.job(facts=["The user lives in Lyon"])
    t=time.time(); d=stoic("eval", "--json", PYTHONASYNCIODEBUG="1"); print(time.time()-t); print(d.err); print(d.out)
    t=time.time(); d=stoic("eval"); print(time.time()-t); print(d.err); print(d.out)
    t=time.time(); d=stoic("regrade"); print(time.time()-t); print(d.err); print(d.out)
    t=time.time(); d=stoic("doctor"); print(time.time()-t); print(d.err); print(d.out)
    print([c.kind for c in model.calls], agent.told())
    print(cypher("MATCH (v:AgentVersion) RETURN v.id AS id", on="STOIC_GRAPH"))
    assert 0
